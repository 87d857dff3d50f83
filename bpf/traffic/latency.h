/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sink's histogram of latencies; a part of traffic.bpf.c. */
#ifndef LINERATE_TRAFFIC_LATENCY_H
#define LINERATE_TRAFFIC_LATENCY_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#include "traffic.h"

/* Position of the highest set bit, by halving: BPF has no such instruction. */
static __always_inline __u32 highest_bit(__u64 value)
{
	__u32 bit = 0;

	if (value >> 32) {
		value >>= 32;
		bit += 32;
	}
	if (value >> 16) {
		value >>= 16;
		bit += 16;
	}
	if (value >> 8) {
		value >>= 8;
		bit += 8;
	}
	if (value >> 4) {
		value >>= 4;
		bit += 4;
	}
	if (value >> 2) {
		value >>= 2;
		bit += 2;
	}
	return bit + (value >> 1);
}

static __always_inline void add_latency(struct traffic_sink *sink, __u64 latency_ns)
{
	__u64 bucket = latency_ns;
	__u32 shift;

	if (latency_ns >= TRAFFIC_SUB) {
		shift = highest_bit(latency_ns) - TRAFFIC_SUB_BITS;
		bucket = (__u64)shift * TRAFFIC_SUB + (latency_ns >> shift);
	}
	if (bucket >= TRAFFIC_BUCKETS)
		bucket = TRAFFIC_BUCKETS - 1;
	sink->latency_count[bucket]++;
	sink->latency_sum_ns += latency_ns;
	if (latency_ns > sink->latency_max_ns)
		sink->latency_max_ns = latency_ns;
}

#endif
