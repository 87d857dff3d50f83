// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a program's parts cost: each program does one of them so many times, beside a loop that does
 * nothing so often, and straight code.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "objects/costs.h"

#define FRAME_BYTES 60

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} lru_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* What parts work on; each packet finds what the one before left. */
volatile __u64 number = 1;

SEC("xdp")
int nothing(struct xdp_md *ctx)
{
	__u32 i;

	EACH(i)
	KEEP(i);
	return XDP_DROP;
}

SEC("xdp")
int clock(struct xdp_md *ctx)
{
	__u64 sum = 0;
	__u32 i;

	EACH(i)
	sum += bpf_ktime_get_ns();
	return sum ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int random(struct xdp_md *ctx)
{
	__u64 sum = 0;
	__u32 i;

	EACH(i)
	sum += bpf_get_prandom_u32();
	return sum == 1 ? XDP_PASS : XDP_DROP;
}

/* As of packets of one flow: the processor learns which way the lookup takes. */
static __always_inline int look_up_again(void *table)
{
	__u32 i, key = 1;
	__u64 *value;

	EACH(i)
	{
		KEEP(key);
		value = bpf_map_lookup_elem(table, &key);
		if (!value)
			return XDP_PASS;
		KEEP(value);
	}
	return XDP_DROP;
}

SEC("xdp")
int hash_lookup_again(struct xdp_md *ctx)
{
	return look_up_again(&hash);
}

SEC("xdp")
int lru_hash_lookup_again(struct xdp_md *ctx)
{
	return look_up_again(&lru_hash);
}

SEC("xdp")
int adjust_tail(struct xdp_md *ctx)
{
	__u32 i;

	EACH(i)
	if (bpf_xdp_adjust_tail(ctx, i & 1 ? 8 : -8))
		return XDP_PASS;
	return XDP_DROP;
}

SEC("xdp")
int hash_update(struct xdp_md *ctx)
{
	__u64 value = 1;
	__u32 i, key;

	EACH(i)
	{
		key = i;
		bpf_map_update_elem(&hash, &key, &value, BPF_ANY);
	}
	return XDP_DROP;
}

SEC("xdp")
int lru_hash_update(struct xdp_md *ctx)
{
	__u64 value = 1;
	__u32 i, key;

	EACH(i)
	{
		key = i;
		bpf_map_update_elem(&lru_hash, &key, &value, BPF_ANY);
	}
	return XDP_DROP;
}

SEC("xdp")
int division(struct xdp_md *ctx)
{
	__u64 value = number | 1UL << 40, by = number | 3;
	__u32 i;

	EACH(i)
	value = value / by + i;
	number = (value & 0xff) | 1;
	return XDP_DROP;
}

SEC("xdp")
int atomic(struct xdp_md *ctx)
{
	__u32 i;

	EACH(i)
	__sync_fetch_and_add(&number, 1);
	return XDP_DROP;
}

static __attribute__((noinline)) __u64 called(__u64 value)
{
	KEEP(value);
	return value;
}

SEC("xdp")
int function_call(struct xdp_md *ctx)
{
	__u64 value = 1;
	__u32 i;

	EACH(i)
	value = called(value);
	return value ? XDP_DROP : XDP_PASS;
}

static long turn(__u32 i, void *unused)
{
	return 0;
}

SEC("xdp")
int loop_turn(struct xdp_md *ctx)
{
	bpf_loop(TIMES, turn, NULL, 0);
	return XDP_DROP;
}

SEC("xdp")
int redirect(struct xdp_md *ctx)
{
	__u64 sum = 0;
	__u32 i;

	EACH(i)
	sum += bpf_redirect(1, 0);
	return sum ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int redirect_map(struct xdp_md *ctx)
{
	__u64 sum = 0;
	__u32 i;

	EACH(i)
	sum += bpf_redirect_map(&ports, 0, XDP_DROP);
	return sum ? XDP_DROP : XDP_PASS;
}

/* Loads, sums, shifts and stores in a row, as code for headers is. */
SEC("xdp")
int instruction(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;
	__u32 sum = 0, word;
	int i;

	if (data + FRAME_BYTES > (__u8 *)(long)ctx->data_end)
		return XDP_DROP;
#pragma unroll
	for (i = 0; i < TIMES / 2; i++) {
		word = *(volatile __u16 *)(data + 14 + 2 * i);
		sum += word;
		*(volatile __u8 *)(data + i % 6) = word >> 8;
		*(volatile __u8 *)(data + 6 + i % 6) = word;
		if (word == 0xfffe)
			return XDP_PASS;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	*(volatile __u16 *)(data + 24) = ~sum;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
