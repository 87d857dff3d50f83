// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drops packets whose source lies in a listed prefix; sends back all others. */
#include "examples/headers.h"

struct prefix {
	__u32 length;
	__be32 address;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, __u64);
} blocked SEC(".maps");

SEC("xdp")
int prefix_filter(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct prefix source = { .length = 32 };
	__u64 *packets;

	if (!ip)
		return XDP_PASS;
	source.address = ip->saddr;
	packets = bpf_map_lookup_elem(&blocked, &source);
	if (packets) {
		__sync_fetch_and_add(packets, 1);
		return XDP_DROP;
	}
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
