// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drops UDP whose first bytes of payload hold a pattern of eight anywhere. */
#include "examples/headers.h"

#define SEARCHED_BYTES 64

/* "/admin?a", as it lies in memory. */
const volatile __u64 pattern = 0x613f6e696d64612fULL;

SEC("xdp")
int payload_match(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct udphdr *udp;
	__u64 window = 0;
	__u8 *payload;

	if (!ip || ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	udp = (void *)(ip + 1);
	payload = (void *)(udp + 1);
	for (int i = 0; i < SEARCHED_BYTES; i++) {
		if ((void *)(payload + i + 1) > DATA_END(ctx))
			break;
		window = window >> 8 | (__u64)payload[i] << 56;
		if (i >= 7 && window == pattern)
			return XDP_DROP;
	}
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
