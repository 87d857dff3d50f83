// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/netfilter.h>

#include "kernel/netfilter_hook.h"
#include "kernel/tc_hook.h"
#include "hook.h"

const struct filter_hook filter_hooks[FILTER_HOOKS] = {
	[FILTER_XDP_NATIVE] = { .kind = FILTER_HOOK_XDP, .xdp_flags = XDP_FLAGS_DRV_MODE },
	[FILTER_XDP_GENERIC] = { .kind = FILTER_HOOK_XDP, .xdp_flags = XDP_FLAGS_SKB_MODE },
	[FILTER_TC] = { .kind = FILTER_HOOK_TC },
	[FILTER_PREROUTING] = { .kind = FILTER_HOOK_NETFILTER,
				.netfilter_hook = NF_INET_PRE_ROUTING,
				.netfilter_priority = NETFILTER_RAW },
	[FILTER_INPUT] = { .kind = FILTER_HOOK_NETFILTER,
			   .netfilter_hook = NF_INET_LOCAL_IN,
			   .netfilter_priority = NETFILTER_FILTER },
};

const char *const filter_hook_names[] = {
	[FILTER_XDP_NATIVE] = "xdp_native",
	[FILTER_XDP_GENERIC] = "xdp_generic",
	[FILTER_TC] = "tc",
	[FILTER_PREROUTING] = "prerouting",
	[FILTER_INPUT] = "input",
	[FILTER_HOOKS] = NULL,
};

void filter_set_type(const struct filter_hook *hook, struct bpf_program *program)
{
	if (hook->kind == FILTER_HOOK_NETFILTER)
		netfilter_hook_set_type(program);
}

unsigned int filter_skipped_bytes(const struct filter_hook *hook)
{
	return hook->kind == FILTER_HOOK_NETFILTER ? ETH_HLEN : 0;
}

static int link_xdp(const struct filter_hook *hook, int program_fd, int ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = hook->xdp_flags);

	return bpf_link_create(program_fd, ifindex, BPF_XDP, &options);
}

int filter_attach(const struct filter_hook *hook, int program_fd, const char *device,
		  struct filter_attachment *attachment)
{
	int ifindex = if_nametoindex(device);

	*attachment = (struct filter_attachment){ .link_fd = -1 };
	if (!ifindex)
		return -errno;
	switch (hook->kind) {
	case FILTER_HOOK_TC:
		return tc_hook_attach(program_fd, ifindex, &attachment->tc_qdisc);
	case FILTER_HOOK_XDP:
		attachment->link_fd = link_xdp(hook, program_fd, ifindex);
		break;
	case FILTER_HOOK_NETFILTER:
		attachment->link_fd = netfilter_hook_link(program_fd, hook->netfilter_hook,
							  hook->netfilter_priority);
		break;
	}
	return attachment->link_fd < 0 ? attachment->link_fd : 0;
}

void filter_detach(struct filter_attachment *attachment)
{
	if (attachment->link_fd >= 0)
		close(attachment->link_fd);
	tc_hook_detach(&attachment->tc_qdisc);
}
