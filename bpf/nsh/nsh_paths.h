/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Service paths: where a packet goes next, and the forwarding by them. */
#ifndef LINERATE_NSH_PATHS_H
#define LINERATE_NSH_PATHS_H

#include "nsh_stage.h"

/* By SPI and SI as they stand on the wire. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NSH_RULES_MAX);
	__type(key, __u32);
	__type(value, struct nsh_hop);
} paths SEC(".maps");

/*
 * TTL as RFC 8300 (section 2.2) wants it: down by one before the look-up, 63 after 0;
 * -1 when it is used up.
 */
static __always_inline int nsh_age(struct nsh_base *nsh)
{
	__u16 ttl_and_length = bpf_ntohs(nsh->ttl_and_length);
	__u16 ttl = ((ttl_and_length >> NSH_TTL_SHIFT) - 1) & NSH_TTL_MASK;

	ttl_and_length &= ~(NSH_TTL_MASK << NSH_TTL_SHIFT);
	nsh->ttl_and_length = bpf_htons(ttl_and_length | ttl << NSH_TTL_SHIFT);
	return ttl ? 0 : -1;
}

/* Address a frame to the next hop of its path; a drop, or `sent`. */
static __always_inline int nsh_forward(struct __sk_buff *skb, int sent)
{
	struct ethhdr *eth = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	struct nsh_base *nsh = (void *)(eth + 1);
	struct nsh_hop *hop;
	__u32 path;

	if ((void *)(nsh + 1) > end || nsh_check(nsh, end) < 0)
		return nsh_drop(NSH_MALFORMED);
	if (nsh_age(nsh))
		return nsh_drop(NSH_TTL_OUT);
	path = nsh->path;
	hop = bpf_map_lookup_elem(&paths, &path);
	if (!hop)
		return nsh_drop(NSH_UNKNOWN_PATH);
	__builtin_memcpy(eth->h_dest, hop->mac, ETH_ALEN);
	nsh_set_mac(eth->h_source, settings.own_mac);
	nsh_count(NSH_DONE);
	return sent;
}

#endif
