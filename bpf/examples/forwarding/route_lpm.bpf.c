// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An IPv4 router: longest prefix to next hop, TTL down, checksum mended, new Ethernet header. */
#include "examples/headers.h"

struct prefix {
	__u32 length;
	__be32 address;
};

struct next_hop {
	__u8 source[ETH_ALEN];
	__u8 destination[ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, struct next_hop);
} routes SEC(".maps");

SEC("xdp")
int route_lpm(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx);
	struct iphdr *ip = ipv4_of(ctx);
	struct prefix destination = { .length = 32 };
	struct next_hop *hop;
	__u16 before;

	if (!ip || ip->ttl <= 1)
		return XDP_PASS;
	destination.address = ip->daddr;
	hop = bpf_map_lookup_elem(&routes, &destination);
	if (!hop)
		return XDP_DROP;
	before = *(__u16 *)&ip->ttl;
	ip->ttl--;
	ip->check = checksum_after(ip->check, before, *(__u16 *)&ip->ttl);
	__builtin_memcpy(eth->h_source, hop->source, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, hop->destination, ETH_ALEN);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
