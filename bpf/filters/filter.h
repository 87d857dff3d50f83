/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the five filters of Sampaio (2017) match, for every hook alike. An object
 * says how bytes are read at its hook (struct filter_packet, filter_bytes()) and
 * what the verdicts are; parsing and matching are here.
 *
 * Header lengths are honoured (IP options, TCP options), nothing is read beyond
 * the packet, and a fragment other than the first, which has no header of layer
 * 4, matches nothing but drop_all.
 */
#ifndef LINERATE_FILTER_H
#define LINERATE_FILTER_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "filter_settings.h"

#define FILTER_FRAGMENT	  0x1fff /* offset of a fragment, in 8 bytes */
#define FILTER_FLAG_SYN	  0x02
#define FILTER_FLAG_RST	  0x04
#define FILTER_FLAGS_BYTE 13 /* of the TCP header */

const volatile struct filter_settings settings = {};

/*
 * Packets dropped. To count one takes about 1 ns of some 40: 0.8 were seen on XDP,
 * 1.7 on netfilter and none that showed on tc (medians of 15 test runs with and
 * without, by filter_dut --uncounted).
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

struct filter_packet;

/*
 * Bytes at an offset from the IP header, which the object defines: where they
 * are, or a copy of them in the buffer; NULL if the packet ends before.
 */
static __always_inline const void *filter_bytes(struct filter_packet *packet, __u32 offset,
						void *buffer, const __u32 size);

/* The same, but not the padding that Ethernet adds behind the end of an IP packet. */
static __always_inline const void *filter_ip_bytes(struct filter_packet *packet, __u32 offset,
						   void *buffer, const __u32 size, __u32 end)
{
	return offset + size > end ? NULL : filter_bytes(packet, offset, buffer, size);
}

static __always_inline int filter_has_mark(struct filter_packet *packet, __u32 payload, __u32 end)
{
	__u8 buffer;
	const __u8 *mark = filter_ip_bytes(packet, payload + 1, &buffer, sizeof(buffer), end);

	return mark && *mark == FILTER_MARK;
}

static __always_inline int filter_matches_tcp(struct filter_packet *packet, __u32 start, __u32 end)
{
	const __u8 both = FILTER_FLAG_SYN | FILTER_FLAG_RST;
	const struct tcphdr *tcp;
	struct tcphdr buffer;

	tcp = filter_ip_bytes(packet, start, &buffer, sizeof(buffer), end);
	if (!tcp)
		return 0;
	if (settings.program == FILTER_DROP_TCP_SUBNET_FLAGS)
		return (((const __u8 *)tcp)[FILTER_FLAGS_BYTE] & both) == both;
	return tcp->doff >= sizeof(*tcp) / 4 && filter_has_mark(packet, start + tcp->doff * 4, end);
}

static __always_inline int filter_matches(struct filter_packet *packet)
{
	const __u32 program = settings.program;
	const __u8 protocol = program == FILTER_DROP_UDP_SUBNET ? IPPROTO_UDP : IPPROTO_TCP;
	struct iphdr buffer;
	const struct iphdr *ip;

	if (program == FILTER_DROP_ALL)
		return 1;
	ip = filter_bytes(packet, 0, &buffer, sizeof(buffer));
	if (!ip || ip->version != 4 || ip->ihl < sizeof(*ip) / 4 || ip->protocol != protocol)
		return 0;
	if ((ip->daddr & bpf_htonl(FILTER_SUBNET_MASK)) != bpf_htonl(FILTER_SUBNET) ||
	    (ip->frag_off & bpf_htons(FILTER_FRAGMENT)))
		return 0;
	if (program == FILTER_DROP_TCP_SUBNET || program == FILTER_DROP_UDP_SUBNET)
		return 1;
	return filter_matches_tcp(packet, ip->ihl * 4, bpf_ntohs(ip->tot_len));
}

static __always_inline void filter_count_drop(void)
{
	__u32 key = 0;
	__u64 *count;

	if (!settings.counted)
		return;
	count = bpf_map_lookup_elem(&dropped, &key);
	if (count)
		*count += 1;
}

/* Whether to drop; what is dropped is counted. */
static __always_inline int filter_drops(struct filter_packet *packet)
{
	if (!filter_matches(packet))
		return 0;
	filter_count_drop();
	return 1;
}

#endif
