// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Answers a SYN with a number that tells the connection, and lets pass who returns it. */
#include "examples/headers.h"

#define FLAGS_OFFSET 13
#define SYN	     0x02
#define ACK	     0x10

const volatile __u32 secret = 0x9e3779b9;

static __always_inline __u32 mixed(__u32 hash, __u32 word)
{
	hash = (hash ^ word) * 0x85ebca6b;
	return hash ^ (hash >> 13);
}

static __always_inline __u32 cookie_of(__be32 source, __be32 destination, __u32 ports)
{
	return mixed(mixed(mixed(secret, source), destination), ports);
}

/* Sum of 16-bit words, which may hold carries. */
static __always_inline __u32 sum_of(const void *start, int words)
{
	const __u16 *word = start;
	__u32 sum = 0;

	for (int i = 0; i < words; i++)
		sum += word[i];
	return sum;
}

static __always_inline __u16 folded(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static __always_inline void swap_ends(struct iphdr *ip, struct tcphdr *tcp)
{
	__be32 address = ip->saddr;
	__be16 port = tcp->source;

	ip->saddr = ip->daddr;
	ip->daddr = address;
	tcp->source = tcp->dest;
	tcp->dest = port;
}

static __always_inline int answer(struct xdp_md *ctx, struct iphdr *ip, struct tcphdr *tcp,
				  __u32 cookie)
{
	__be16 length = bpf_htons(sizeof(*tcp));

	swap_ethernet(ctx);
	swap_ends(ip, tcp);
	tcp->ack_seq = bpf_htonl(bpf_ntohl(tcp->seq) + 1);
	tcp->seq = bpf_htonl(cookie);
	((__u8 *)tcp)[FLAGS_OFFSET] = SYN | ACK;
	tcp->doff = sizeof(*tcp) / 4;
	ip->tot_len = bpf_htons(sizeof(*ip) + sizeof(*tcp));
	ip->check = 0;
	ip->check = folded(sum_of(ip, sizeof(*ip) / 2));
	tcp->check = 0;
	tcp->check = folded(sum_of(tcp, sizeof(*tcp) / 2) + sum_of(&ip->saddr, 4) +
			    bpf_htons(IPPROTO_TCP) + length);
	return XDP_TX;
}

SEC("xdp")
int syn_cookie(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct tcphdr *tcp;
	__u32 cookie;
	__u8 flags;

	if (!ip || ip->protocol != IPPROTO_TCP)
		return XDP_PASS;
	tcp = (void *)(ip + 1);
	if ((void *)(tcp + 1) > DATA_END(ctx))
		return XDP_DROP;
	flags = ((__u8 *)tcp)[FLAGS_OFFSET];
	cookie = cookie_of(ip->saddr, ip->daddr, (__u32)tcp->source << 16 | tcp->dest);
	if ((flags & (SYN | ACK)) == SYN)
		return answer(ctx, ip, tcp, cookie);
	return bpf_ntohl(tcp->ack_seq) == cookie + 1 ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
