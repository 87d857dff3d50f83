// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What calls of helpers cost: each program makes one call so many times, in the loop of
 * costs.bpf.c. Those of tc take socket buffers.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "objects/costs.h"

#define FACTOR	    1664525
#define AF_INET	    2
#define ADDRESS	    0x010013c6 /* 198.19.0.1, where frames of ours go */
#define WORD	    8	       /* bytes that are copied */
#define IP_OFFSET   ETH_HLEN
#define SUM_OFFSET  (IP_OFFSET + offsetof(struct iphdr, check))
#define UDP_OFFSET  (IP_OFFSET + sizeof(struct iphdr))
#define PORT_OFFSET (UDP_OFFSET + offsetof(struct udphdr, dest))
#define TAG	    7

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} ring SEC(".maps");

struct guarded {
	struct bpf_spin_lock lock;
	__u32 number;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct guarded);
} shared SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} percpu_hash SEC(".maps");

/* A program that makes a call so many times, and looks at what it returns. */
#define CALLS(hook, name, context, call) \
	SEC(hook) int name(context)      \
	{                                \
		__u64 sum = 0;           \
		__u32 i;                 \
		EACH(i)                  \
		sum += (call);           \
		return sum == 1;         \
	}
#define CALLS_IN_XDP(name, call) CALLS("xdp", name, struct xdp_md *ctx, call)
#define CALLS_IN_TC(name, call)	 CALLS("tc", name, struct __sk_buff *skb, call)

/* What is copied, and sent as an event. */
__u8 bytes[WORD];

CALLS_IN_XDP(xdp_load_bytes, bpf_xdp_load_bytes(ctx, IP_OFFSET, bytes, WORD))

CALLS_IN_XDP(xdp_store_bytes, bpf_xdp_store_bytes(ctx, UDP_OFFSET, bytes, WORD))

/* Nobody reads the events, as in test runs of any program. */
CALLS_IN_XDP(perf_event_output, bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, bytes, WORD))

CALLS_IN_XDP(ringbuf_output, bpf_ringbuf_output(&ring, bytes, WORD, 0))

CALLS_IN_TC(skb_load_bytes, bpf_skb_load_bytes(skb, IP_OFFSET, bytes, WORD))

CALLS_IN_TC(skb_store_bytes, bpf_skb_store_bytes(skb, UDP_OFFSET, bytes, WORD, 0))

CALLS_IN_TC(skb_pull_data, bpf_skb_pull_data(skb, PORT_OFFSET))

CALLS_IN_TC(l3_csum_replace, bpf_l3_csum_replace(skb, SUM_OFFSET, 0, 1, sizeof(__u32)))

CALLS_IN_TC(l4_csum_replace, bpf_l4_csum_replace(skb, PORT_OFFSET, 0, 1, sizeof(__u32)))

/* A tag that comes and goes. */
CALLS_IN_TC(skb_vlan, bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), TAG) + bpf_skb_vlan_pop(skb))

/* Room behind the Ethernet header that comes and goes. */
CALLS_IN_TC(skb_adjust_room, bpf_skb_adjust_room(skb, WORD, BPF_ADJ_ROOM_MAC, 0) +
				     bpf_skb_adjust_room(skb, -WORD, BPF_ADJ_ROOM_MAC, 0))

/* A route over a gateway whose station is known. */
SEC("xdp")
int fib_lookup(struct xdp_md *ctx)
{
	struct bpf_fib_lookup route = {};
	__u64 sum = 0;
	__u32 i;

	EACH(i)
	{
		route.family = AF_INET;
		route.l4_protocol = IPPROTO_UDP;
		route.ipv4_dst = ADDRESS;
		route.ifindex = ctx->ingress_ifindex;
		sum += bpf_fib_lookup(ctx, &route, sizeof(route), 0);
	}
	return sum ? XDP_PASS : XDP_DROP;
}

/* Taken and given back. */
SEC("xdp")
int spin_lock(struct xdp_md *ctx)
{
	struct guarded *guarded;
	__u32 i, key = 0;

	guarded = bpf_map_lookup_elem(&shared, &key);
	if (!guarded)
		return XDP_PASS;
	EACH(i)
	{
		bpf_spin_lock(&guarded->lock);
		bpf_spin_unlock(&guarded->lock);
	}
	return XDP_DROP;
}

/* Where keys go on in the next packet. */
volatile __u32 last = 1;

/* Looks up one key of KEYS from the first, which a congruential generator draws: the processor
 * cannot foresee it but with a factor of 0. */
static __always_inline int look_up(void *table, __u32 factor, __u32 first)
{
	__u32 i, at, key = last;
	void *value;

	EACH(i)
	{
		key = key * factor + 1;
		at = first + (key >> 16 & (KEYS - 1));
		value = bpf_map_lookup_elem(table, &at);
		KEEP(value);
	}
	last = key;
	return XDP_DROP;
}

SEC("xdp")
int percpu_hash_lookup(struct xdp_md *ctx)
{
	return look_up(&percpu_hash, FACTOR, 0);
}

SEC("xdp")
int percpu_hash_lookup_again(struct xdp_md *ctx)
{
	return look_up(&percpu_hash, 0, 0);
}

/* Behind the last key: nothing is found. */
SEC("xdp")
int hash_miss(struct xdp_md *ctx)
{
	return look_up(&hash, FACTOR, KEYS);
}

SEC("xdp")
int hash_miss_again(struct xdp_md *ctx)
{
	return look_up(&hash, 0, KEYS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
