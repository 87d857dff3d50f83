// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each frame goes to the AF_XDP socket of its own receive queue; a queue without a
 * socket leaves its frames to the stack, and they are counted. A socket takes
 * frames of its own queue only: the kernel refuses others.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "xsk_redirect.h"

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, XSK_REDIRECT_QUEUES_MAX);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

volatile __u64 passed[XSK_REDIRECT_QUEUES_MAX] = {};

SEC("xdp")
int xsk_redirect(struct xdp_md *ctx)
{
	__u32 queue = ctx->rx_queue_index;
	int action = bpf_redirect_map(&sockets, queue, XDP_PASS);

	/* One core serves a queue, so no other one adds to the same count. */
	if (action == XDP_PASS && queue < XSK_REDIRECT_QUEUES_MAX)
		passed[queue]++;
	return action;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
