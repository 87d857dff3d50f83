// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Takes the outer IPv4 header off packets of one tunnel, and sends what was inside back. */
#include "examples/headers.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be32);
	__type(value, __u64);
} tunnels SEC(".maps");

SEC("xdp")
int decapsulate(struct xdp_md *ctx)
{
	struct iphdr *outer = ipv4_of(ctx);
	struct ethhdr *eth, before;
	__be32 end;
	__u64 *packets;

	if (!outer || outer->protocol != IPPROTO_IPIP)
		return XDP_PASS;
	end = outer->daddr;
	packets = bpf_map_lookup_elem(&tunnels, &end);
	if (!packets)
		return XDP_DROP;
	__sync_fetch_and_add(packets, 1);
	eth = (void *)outer - sizeof(*eth);
	__builtin_memcpy(&before, eth, sizeof(before));
	if (bpf_xdp_adjust_head(ctx, sizeof(*outer)))
		return XDP_ABORTED;
	eth = DATA(ctx);
	if ((void *)(eth + 1) > DATA_END(ctx))
		return XDP_ABORTED;
	__builtin_memcpy(eth, &before, sizeof(before));
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
