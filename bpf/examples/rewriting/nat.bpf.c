// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Source NAT: rewrites address and port of known flows, mending both checksums. */
#include "examples/headers.h"

struct flow {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__u32 protocol;
};

struct translation {
	__be32 address;
	__be16 port;
	__u16 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct flow);
	__type(value, struct translation);
} translations SEC(".maps");

static __always_inline __u16 with_address(__u16 checksum, __be32 before, __be32 after)
{
	checksum = checksum_after(checksum, before & 0xffff, after & 0xffff);
	return checksum_after(checksum, before >> 16, after >> 16);
}

static __always_inline int rewrite_udp(struct xdp_md *ctx, struct iphdr *ip,
				       const struct translation *to)
{
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > DATA_END(ctx))
		return XDP_DROP;
	if (udp->check) {
		udp->check = with_address(udp->check, ip->saddr, to->address);
		udp->check = checksum_after(udp->check, udp->source, to->port);
	}
	udp->source = to->port;
	return XDP_TX;
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	struct translation *to;
	struct flow flow = {};
	int verdict;

	if (!ports || ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	flow.source = ip->saddr;
	flow.destination = ip->daddr;
	flow.source_port = ports[0];
	flow.destination_port = ports[1];
	flow.protocol = ip->protocol;
	to = bpf_map_lookup_elem(&translations, &flow);
	if (!to)
		return XDP_DROP;
	verdict = rewrite_udp(ctx, ip, to);
	ip->check = with_address(ip->check, ip->saddr, to->address);
	ip->saddr = to->address;
	swap_ethernet(ctx);
	return verdict;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
