/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the packets that an attached program gets. */
#ifndef LINERATE_OBJECT_ENDS_H
#define LINERATE_OBJECT_ENDS_H

#include <bpf/libbpf.h>

#include "common/device_counters.h"
#include "options.h"

#define ENDS_LINKS_MAX 3

struct ends {
	enum object_hook hook;
	struct bpf_object *object; /* NULL: nothing is counted */
	struct bpf_link *links[ENDS_LINKS_MAX];
	int passed_fd; /* link of what counts behind the generic hook; -1: none */
	struct device device;
};

/* Begin to count what a program of a loaded object will do on a device; 0 or -errno. */
int ends_open(struct ends *ends, const struct object_options *options, struct bpf_object *tested,
	      const struct bpf_program *entry);
/*
 * Whether packets that the generic hook lets pass are counted from now on, which takes time; if not
 * they are among the dropped ones. 0 or -errno.
 */
int ends_count_passed(struct ends *ends, int counted);
/* Print the counts since then as a line; 0 or -errno. */
int ends_print(const struct ends *ends);
void ends_close(struct ends *ends);

#endif
