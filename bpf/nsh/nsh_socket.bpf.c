// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In front of an AF_XDP function that is aware of NSH, on XDP: packets in NSH go to
 * the socket of their queue whole. Those that no socket takes are dropped.
 */
#include "nsh_stage.h"

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

SEC("xdp")
int nsh_socket(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end ||
	    eth->h_proto != bpf_htons(NSH_ETHERTYPE))
		return nsh_let_by(XDP_PASS);
	nsh_count(NSH_DONE);
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
