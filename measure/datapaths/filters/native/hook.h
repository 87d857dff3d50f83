/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks of the kernel that a filter can be put on. */
#ifndef LINERATE_FILTER_HOOK_H
#define LINERATE_FILTER_HOOK_H

#include <linux/types.h>

#include <bpf/libbpf.h>

enum filter_hook_kind {
	FILTER_HOOK_XDP,
	FILTER_HOOK_TC,
	FILTER_HOOK_NETFILTER,
};

enum filter_hook_place {
	FILTER_XDP_NATIVE,
	FILTER_XDP_GENERIC,
	FILTER_TC,
	FILTER_PREROUTING,
	FILTER_INPUT,
	FILTER_HOOKS,
};

struct filter_hook {
	enum filter_hook_kind kind;
	__u32 xdp_flags;
	__u32 netfilter_hook;
	__s32 netfilter_priority;
};

/* What holds a program on its hook. */
struct filter_attachment {
	int link_fd;		     /* -1: none; the program goes with the last one who has it */
	struct bpf_tc_hook tc_qdisc; /* ours, if ifindex is set */
};

extern const struct filter_hook filter_hooks[FILTER_HOOKS];
extern const char *const filter_hook_names[]; /* ends with NULL */

/* Bytes of a frame that a program on this hook does not see. */
unsigned int filter_skipped_bytes(const struct filter_hook *hook);
/* Tell libbpf what it cannot know of a program for this hook. */
void filter_set_type(const struct filter_hook *hook, struct bpf_program *program);
/*
 * Put a program on a hook of a device, or for netfilter of this namespace; 0 or
 * -errno. What is there already is never replaced.
 */
int filter_attach(const struct filter_hook *hook, int program_fd, const char *device,
		  struct filter_attachment *attachment);
void filter_detach(struct filter_attachment *attachment);

#endif
