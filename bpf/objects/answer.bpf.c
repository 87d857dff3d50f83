// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The least that sends a packet back as programs do: its Ethernet addresses change places. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

static __always_inline int swap_addresses(void *data, void *data_end)
{
	struct ethhdr *eth = data;
	__u8 address[ETH_ALEN];

	if ((void *)(eth + 1) > data_end)
		return 0;
	__builtin_memcpy(address, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, address, ETH_ALEN);
	return 1;
}

SEC("xdp")
int answer(struct xdp_md *ctx)
{
	if (!swap_addresses((void *)(long)ctx->data, (void *)(long)ctx->data_end))
		return XDP_DROP;
	return XDP_TX;
}

SEC("tc")
int tc_answer(struct __sk_buff *skb)
{
	if (!swap_addresses((void *)(long)skb->data, (void *)(long)skb->data_end))
		return TC_ACT_SHOT;
	return bpf_redirect(skb->ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
