/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the packets that an attached program gets. */
#ifndef LINERATE_OBJECT_ENDS_H
#define LINERATE_OBJECT_ENDS_H

#include <bpf/libbpf.h>

#include "bpf/objects/ends.h"
#include "kernel/device_counters.h"
#include "../options.h"

#define ENDS_LINKS_MAX	  4
#define ENDS_COUNTERS_MAX 2

/* By all devices of this network namespace, and not by the network stack. */
struct ends_sent {
	uint64_t packets;
	uint64_t lost; /* too long, or the other end took no more */
};

struct ends {
	enum object_hook hook;
	struct bpf_object *object; /* NULL: nothing is counted */
	struct bpf_link *links[ENDS_LINKS_MAX];
	int links_count;
	int counter_fds[ENDS_COUNTERS_MAX]; /* links of what counts at a cost, above the driver */
	int counting;			    /* how many there are */
	struct device device;
};

/* Begin to count what a program of a loaded object will do on a device; 0 or -errno. */
int ends_open(struct ends *ends, const struct object_options *options, struct bpf_object *tested,
	      const struct bpf_program *entry);
/*
 * Whether it is counted from now on what passes a hook above the driver, which takes time. If not,
 * packets that pass the generic hook are among the dropped ones, and packets that tc drops or
 * cannot redirect are among those that pass. 0 or -errno.
 */
int ends_count_passed(struct ends *ends, int counted);
/* Print the counts since then as a line; 0 or -errno. */
int ends_print(const struct ends *ends);
/* Read them. */
int ends_read(const struct ends *ends, uint64_t packets[ENDS]);
int ends_read_sent(struct ends_sent *sent);
void ends_close(struct ends *ends);

#endif
