// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cores that meet at one entry: each packet is counted where all of them count, and dropped. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

/* Of all cores, alone in its cache line. */
struct {
	__u64 packets;
} entry __attribute__((aligned(128)));

SEC("xdp")
int shared(struct xdp_md *ctx)
{
	__sync_fetch_and_add(&entry.packets, 1);
	return XDP_DROP;
}

SEC("tc")
int tc_shared(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&entry.packets, 1);
	return TC_ACT_SHOT;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
