// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The filters of filter.h as a direct action on tc's ingress hook. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include "filter.h"

struct filter_packet {
	struct __sk_buff *skb;
};

static __always_inline const void *filter_bytes(struct filter_packet *packet, __u32 offset,
						void *buffer, const __u32 size)
{
	struct __sk_buff *skb = packet->skb;
	__u32 from_start = sizeof(struct ethhdr) + offset;
	void *bytes = (void *)(long)skb->data + from_start;

	if (bytes + size <= (void *)(long)skb->data_end)
		return bytes;
	/* The rest of a packet may lie in other pages. */
	return bpf_skb_load_bytes(skb, from_start, buffer, size) ? NULL : buffer;
}

SEC("tc")
int filter_tc(struct __sk_buff *skb)
{
	struct filter_packet packet = { skb };

	if (settings.program != FILTER_DROP_ALL && skb->protocol != bpf_htons(ETH_P_IP))
		return TC_ACT_OK;
	return filter_drops(&packet) ? TC_ACT_SHOT : TC_ACT_OK;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
