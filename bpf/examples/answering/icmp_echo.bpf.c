// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Answers ICMP echo requests. */
#include "examples/headers.h"

#define ICMP_ECHO      8
#define ICMP_ECHOREPLY 0

/* linux/icmp.h needs headers of a 32-bit C library. */
struct icmphdr {
	__u8 type;
	__u8 code;
	__u16 checksum;
};

SEC("xdp")
int icmp_echo(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct icmphdr *icmp;
	__be32 address;
	__u16 before;

	if (!ip || ip->protocol != IPPROTO_ICMP)
		return XDP_PASS;
	icmp = (void *)(ip + 1);
	if ((void *)(icmp + 1) > DATA_END(ctx) || icmp->type != ICMP_ECHO)
		return XDP_PASS;
	before = *(__u16 *)icmp;
	icmp->type = ICMP_ECHOREPLY;
	icmp->checksum = checksum_after(icmp->checksum, before, *(__u16 *)icmp);
	address = ip->saddr;
	ip->saddr = ip->daddr;
	ip->daddr = address;
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
