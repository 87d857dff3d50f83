/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the examples share: headers of a packet, each behind a check of its bounds. */
#ifndef LINERATE_EXAMPLES_HEADERS_H
#define LINERATE_EXAMPLES_HEADERS_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define DATA(ctx)     ((void *)(long)(ctx)->data)
#define DATA_END(ctx) ((void *)(long)(ctx)->data_end)

/* The IPv4 header of an untagged packet without IP options; NULL of any other. */
static __always_inline struct iphdr *ipv4_of(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx);
	struct iphdr *ip = (void *)(eth + 1);

	if ((void *)(ip + 1) > DATA_END(ctx) || eth->h_proto != bpf_htons(ETH_P_IP) || ip->ihl != 5)
		return NULL;
	return ip;
}

/* Source and destination port of UDP or TCP, behind the IP header; NULL of any other. */
static __always_inline __be16 *ports_of(struct xdp_md *ctx, struct iphdr *ip)
{
	__be16 *ports = (void *)(ip + 1);

	if ((ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP) ||
	    (void *)(ports + 2) > DATA_END(ctx))
		return NULL;
	return ports;
}

static __always_inline void swap_ethernet(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx);
	__u8 address[ETH_ALEN];

	if ((void *)(eth + 1) > DATA_END(ctx))
		return;
	__builtin_memcpy(address, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, address, ETH_ALEN);
}

/* The Internet checksum after one 16-bit word changed (RFC 1624). */
static __always_inline __u16 checksum_after(__u16 checksum, __u16 before, __u16 after)
{
	__u32 sum = (__u16)~checksum + (__u16)~before + after;

	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

#endif
