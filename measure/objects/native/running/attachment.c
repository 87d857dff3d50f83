// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <linux/netfilter.h>

#include "attachment.h"
#include "kernel/netfilter_hook.h"
#include "kernel/tc_hook.h"

int attachment_is_tcx(const struct bpf_program *program)
{
	static const char prefix[] = "tcx/";

	return !strncmp(bpf_program__section_name(program), prefix, sizeof(prefix) - 1);
}

static int link_xdp(const struct bpf_program *program, enum object_hook hook, int ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, link,
		    .flags = hook == OBJECT_NATIVE ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);

	return bpf_link_create(bpf_program__fd(program), ifindex, BPF_XDP, &link);
}

static int link_tcx(const struct bpf_program *program, int ifindex)
{
	int fd = bpf_link_create(bpf_program__fd(program), ifindex, ATTACH_TCX_INGRESS, NULL);

	return fd == -EINVAL ? -EOPNOTSUPP : fd;
}

static int link_of(const struct bpf_program *program, enum object_hook hook, int ifindex)
{
	const int fd = bpf_program__fd(program);

	switch (hook) {
	case OBJECT_TC:
		return link_tcx(program, ifindex);
	case OBJECT_PREROUTING:
		return netfilter_hook_link(fd, NF_INET_PRE_ROUTING, NETFILTER_RAW);
	case OBJECT_INPUT:
		return netfilter_hook_link(fd, NF_INET_LOCAL_IN, NETFILTER_FILTER);
	default:
		return link_xdp(program, hook, ifindex);
	}
}

int attachment_make(struct attachment *attachment, const struct bpf_program *program,
		    const struct object_options *options)
{
	int ifindex = if_nametoindex(options->device);

	if (!ifindex)
		return -errno;
	if (options->hook == OBJECT_TC && !attachment_is_tcx(program))
		return tc_hook_attach(bpf_program__fd(program), ifindex, &attachment->qdisc);
	attachment->link_fd = link_of(program, options->hook, ifindex);
	return attachment->link_fd < 0 ? attachment->link_fd : 0;
}

void attachment_end(struct attachment *attachment)
{
	if (attachment->link_fd >= 0)
		close(attachment->link_fd);
	tc_hook_detach(&attachment->qdisc);
}
