// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "netfilter_hook.h"

#define ATTACH_TYPE_NETFILTER 45

void netfilter_hook_set_type(struct bpf_program *program)
{
	bpf_program__set_type(program, PROG_TYPE_NETFILTER);
	bpf_program__set_expected_attach_type(program, ATTACH_TYPE_NETFILTER);
}

int netfilter_hook_link(int program_fd, int hook, int priority)
{
	struct {
		__u32 program_fd, target_fd, attach_type, flags;
		__u32 family, hook;
		__s32 priority;
		__u32 netfilter_flags;
	} request = {
		.program_fd = program_fd,
		.attach_type = ATTACH_TYPE_NETFILTER,
		.family = AF_INET,
		.hook = hook,
		.priority = priority,
	};
	long link_fd = syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request));

	return link_fd < 0 ? -errno : link_fd;
}
