// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An IPv4 router by the kernel's own routes and neighbours; packets leave by a table of ports. */
#include "examples/headers.h"

#define FAMILY_IPV4 2

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u32); /* index of the interface */
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int route_fib(struct xdp_md *ctx)
{
	struct bpf_fib_lookup way = { .family = FAMILY_IPV4, .ifindex = ctx->ingress_ifindex };
	struct ethhdr *eth = DATA(ctx);
	struct iphdr *ip = ipv4_of(ctx);
	__u16 before;

	if (!ip || ip->ttl <= 1)
		return XDP_PASS;
	way.ipv4_src = ip->saddr;
	way.ipv4_dst = ip->daddr;
	way.tos = ip->tos;
	way.l4_protocol = ip->protocol;
	way.tot_len = bpf_ntohs(ip->tot_len);
	switch (bpf_fib_lookup(ctx, &way, sizeof(way), 0)) {
	case BPF_FIB_LKUP_RET_SUCCESS:
		break;
	case BPF_FIB_LKUP_RET_BLACKHOLE:
	case BPF_FIB_LKUP_RET_UNREACHABLE:
	case BPF_FIB_LKUP_RET_PROHIBIT:
		return XDP_DROP;
	default: /* no neighbour, no forwarding, too long: the stack sees to it */
		return XDP_PASS;
	}
	before = *(__u16 *)&ip->ttl;
	ip->ttl--;
	ip->check = checksum_after(ip->check, before, *(__u16 *)&ip->ttl);
	__builtin_memcpy(eth->h_dest, way.dmac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, way.smac, ETH_ALEN);
	return bpf_redirect_map(&ports, way.ifindex, XDP_ABORTED);
}

char LICENSE[] SEC("license") = "GPL";
