/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program on its hook. */
#ifndef LINERATE_OBJECT_ATTACHMENT_H
#define LINERATE_OBJECT_ATTACHMENT_H

#include <bpf/libbpf.h>

#include "../options.h"

/* Newer than the headers that this is built with (kernel 6.6). */
#define ATTACH_TCX_INGRESS 46

struct attachment {
	int link_fd;		  /* -1: none; the program goes with the last one who has it */
	struct bpf_tc_hook qdisc; /* ours, if ifindex is set */
};

/* Put a loaded program on its hook; what is there already is never replaced. 0 or -errno. */
int attachment_make(struct attachment *attachment, const struct bpf_program *program,
		    const struct object_options *options);
void attachment_end(struct attachment *attachment);
/* Whether a tc program is one of those that the kernel knows without a qdisc (6.6). */
int attachment_is_tcx(const struct bpf_program *program);

#endif
