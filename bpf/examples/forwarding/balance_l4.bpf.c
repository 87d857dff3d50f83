// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A layer 4 load balancer: a hash of the flow picks a place on a ring, the ring a server, and the
 * packet goes there inside another IP header (IPIP).
 */
#include "examples/headers.h"

#define RING_PLACES 65537 /* a prime, as Maglev's */
#define TTL	    64

struct server {
	__be32 address;
	__u8 mac[ETH_ALEN];
	__u16 weight;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RING_PLACES);
	__type(key, __u32);
	__type(value, __u32);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, struct server);
} servers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} balanced SEC(".maps");

const volatile __be32 virtual_address = 0;
const volatile __be32 own_address = 0;

static __always_inline __u32 mix(__u32 value)
{
	value ^= value >> 16;
	value *= 0x7feb352d;
	value ^= value >> 15;
	value *= 0x846ca68b;
	return value ^ value >> 16;
}

static __always_inline struct server *choose(__u32 flow)
{
	__u32 place = flow % RING_PLACES;
	__u32 *server = bpf_map_lookup_elem(&ring, &place);

	return server ? bpf_map_lookup_elem(&servers, server) : NULL;
}

static __always_inline __u16 header_checksum(const struct iphdr *ip)
{
	const __u16 *words = (const void *)ip;
	__u32 sum = 0;
	int i;

#pragma unroll
	for (i = 0; i < (int)sizeof(*ip) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static __always_inline int encapsulate(struct xdp_md *ctx, const struct server *server,
				       __u16 inner_bytes)
{
	struct ethhdr old, *eth = DATA(ctx);
	struct iphdr *outer;

	if ((void *)(eth + 1) > DATA_END(ctx))
		return XDP_DROP;
	old = *eth;
	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*outer)))
		return XDP_DROP;
	eth = DATA(ctx);
	outer = (void *)(eth + 1);
	if ((void *)(outer + 1) > DATA_END(ctx))
		return XDP_DROP;
	__builtin_memcpy(eth->h_source, old.h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, server->mac, ETH_ALEN);
	eth->h_proto = old.h_proto;
	__builtin_memset(outer, 0, sizeof(*outer));
	outer->version = 4;
	outer->ihl = 5;
	outer->ttl = TTL;
	outer->protocol = IPPROTO_IPIP;
	outer->tot_len = bpf_htons(inner_bytes + sizeof(*outer));
	outer->saddr = own_address;
	outer->daddr = server->address;
	outer->check = header_checksum(outer);
	return XDP_TX;
}

SEC("xdp")
int balance_l4(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	struct server *server;
	__u32 first = 0;
	__u64 *count;

	if (!ports || (virtual_address && ip->daddr != virtual_address))
		return XDP_PASS;
	server = choose(mix(ip->saddr ^ mix(*(__u32 *)ports ^ ip->protocol)));
	if (!server || !server->address)
		return XDP_DROP;
	count = bpf_map_lookup_elem(&balanced, &first);
	if (count)
		(*count)++;
	return encapsulate(ctx, server, bpf_ntohs(ip->tot_len));
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
