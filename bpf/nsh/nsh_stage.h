/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the stages do alike: settings, counts, and the checks of a header. */
#ifndef LINERATE_NSH_STAGE_H
#define LINERATE_NSH_STAGE_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "nsh.h"

#define NSH_ECHO_REPLY	  0
#define NSH_ECHO_REQUEST  8
#define NSH_FRAGMENT_MASK 0x3fff /* more fragments, or an offset */
#define NSH_LINEAR_BYTES  128	 /* what the stages look at lies in these first bytes */

/* Head of an ICMP echo; linux/icmp.h needs a C library. */
struct nsh_echo {
	__u8 type;
	__u8 code;
	__u16 checksum;
	__u16 identifier;
	__u16 sequence;
};

const volatile struct nsh_settings settings = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NSH_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* Outer Ethernet header and NSH, as they go on the wire. */
struct nsh_outer {
	struct ethhdr eth;
	__u8 nsh[NSH_BYTES_MAX];
} __attribute__((packed));

static __always_inline void nsh_count(__u32 what)
{
	__u64 *count = bpf_map_lookup_elem(&counts, &what);

	if (count)
		*count += 1;
}

static __always_inline int nsh_drop(__u32 why)
{
	nsh_count(why);
	return TC_ACT_SHOT;
}

static __always_inline int nsh_let_by(int verdict)
{
	nsh_count(NSH_OTHER);
	return verdict;
}

/*
 * Length of the header at nsh, or -1 when it is none that RFC 8300 lets pass here:
 * of another version, for operations (O bit), of a length that its metadata type
 * does not have, or with anything but Ethernet inside.
 */
static __always_inline int nsh_check(const struct nsh_base *nsh, const void *end)
{
	__u16 ttl_and_length;
	int words;

	if ((const void *)(nsh + 1) > end)
		return -1;
	ttl_and_length = bpf_ntohs(nsh->ttl_and_length);
	words = ttl_and_length & NSH_LENGTH_MASK;
	if (ttl_and_length & (NSH_VERSION_MASK | NSH_OAM_MASK) ||
	    nsh->next_protocol != NSH_NEXT_ETHERNET)
		return -1;
	switch (nsh->metadata_type & NSH_METADATA_MASK) {
	case 1:
		if (words * NSH_WORD_BYTES != NSH_BASE_BYTES + NSH_CONTEXT_BYTES)
			return -1;
		break;
	case 2:
		if (words * NSH_WORD_BYTES < NSH_BASE_BYTES ||
		    words * NSH_WORD_BYTES > NSH_BYTES_MAX)
			return -1;
		break;
	default:
		return -1;
	}
	return words * NSH_WORD_BYTES;
}

static __always_inline int nsh_read_ports(const struct iphdr *ip, const void *end,
					  struct nsh_flow *flow)
{
	const __u16 *ports = (const void *)ip + ip->ihl * 4;
	const struct nsh_echo *echo = (const void *)ports;

	/* Only the first fragment has ports: all of a packet must have the same key. */
	if (ip->frag_off & bpf_htons(NSH_FRAGMENT_MASK))
		return 0;
	switch (ip->protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
		if ((const void *)(ports + 2) > end)
			return -1;
		flow->source_port = ports[0];
		flow->destination_port = ports[1];
		return 0;
	case IPPROTO_ICMP:
		if ((const void *)(echo + 1) > end)
			return -1;
		if (echo->type == NSH_ECHO_REQUEST || echo->type == NSH_ECHO_REPLY)
			flow->source_port = echo->identifier;
		return 0;
	default:
		return 0;
	}
}

/* Read the flow of an Ethernet frame; -1 when it is not an IPv4 packet. */
static __always_inline int nsh_read_flow(const struct ethhdr *eth, const void *end,
					 struct nsh_flow *flow)
{
	const struct iphdr *ip = (const void *)(eth + 1);

	__builtin_memset(flow, 0, sizeof(*flow));
	if ((const void *)(ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP) || ip->ihl < 5)
		return -1;
	flow->source = ip->saddr;
	flow->destination = ip->daddr;
	flow->protocol = ip->protocol;
	return nsh_read_ports(ip, end, flow);
}

/* Copy a MAC address out of the settings. */
static __always_inline void nsh_set_mac(__u8 *to, const volatile __u8 *from)
{
	int i;

	for (i = 0; i < ETH_ALEN; i++)
		to[i] = from[i];
}

/* Make the headers of a packet readable in place; ones from a socket may lie in pages. */
static __always_inline void nsh_linear(struct __sk_buff *skb)
{
	__u32 bytes = skb->len < NSH_LINEAR_BYTES ? skb->len : NSH_LINEAR_BYTES;

	if (skb->data_end - skb->data < bytes)
		bpf_skb_pull_data(skb, bytes);
}

/* Whether a frame carries NSH. */
static __always_inline __u32 nsh_is_inside(struct __sk_buff *skb)
{
	return skb->data + sizeof(struct ethhdr) <= skb->data_end &&
	       ((struct ethhdr *)(long)skb->data)->h_proto == bpf_htons(NSH_ETHERTYPE);
}

/* Whether a frame is for a group: such are the kernel's own, and stay with it. */
static __always_inline int nsh_is_for_group(struct __sk_buff *skb)
{
	return skb->data + sizeof(struct ethhdr) <= skb->data_end &&
	       ((struct ethhdr *)(long)skb->data)->h_dest[0] & 1;
}

/* Put a header in front of a frame; where it goes next is for the forwarding stage to say. */
static __always_inline int nsh_push(struct __sk_buff *skb, const struct nsh_header *header)
{
	struct nsh_outer outer = { .eth.h_proto = bpf_htons(NSH_ETHERTYPE) };
	__u32 bytes_count = header->bytes_count;

	if (bytes_count < NSH_BASE_BYTES || bytes_count > NSH_BYTES_MAX)
		return nsh_drop(NSH_MALFORMED);
	nsh_set_mac(outer.eth.h_source, settings.own_mac);
	__builtin_memcpy(outer.nsh, header->bytes, NSH_BYTES_MAX);
	if (bpf_skb_change_head(skb, sizeof(outer.eth) + bytes_count, 0) ||
	    bpf_skb_store_bytes(skb, 0, &outer, sizeof(outer.eth) + bytes_count, 0))
		return nsh_drop(NSH_NO_ROOM);
	nsh_count(NSH_DONE);
	return TC_ACT_UNSPEC; /* on to the next stage */
}

#endif
