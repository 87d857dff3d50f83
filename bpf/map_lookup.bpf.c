// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parametric program of Capeletti (2022): memory_accesses map lookups for
 * each packet, then the packet leaves by the port it came in.
 *
 *   map     per-CPU array, one __u64 for each receive queue
 *   key     the receive queue of the packet
 *   action  add 1 to the value found, so that no lookup can be left out
 *
 * Exactly memory_accesses lookups are executed; with 0 the program is xdp_tx.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "map_lookup.h"

const volatile __u32 memory_accesses = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAP_LOOKUP_QUEUES_MAX);
	__type(key, __u32);
	__type(value, __u64);
} lookups SEC(".maps");

static __always_inline int look_up(__u32 queue, __u32 times)
{
	__u64 *count;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		count = bpf_map_lookup_elem(&lookups, &queue);
		if (!count)
			return -1;
		*count += 1;
	}
	return 0;
}

static long look_up_stride(__u32 turn, void *queue)
{
	return look_up(*(__u32 *)queue, MAP_LOOKUP_STRIDE) ? 1 : 0;
}

/*
 * The verifier walks every turn of a plain loop and gives up short of the study's
 * 12800; it verifies the callback of bpf_loop() once, whatever the count. A stride
 * of lookups to a call keeps the cost of the call out of the cost of a lookup.
 */
SEC("xdp")
int map_lookup(struct xdp_md *ctx)
{
	__u32 queue = ctx->rx_queue_index;

	if (memory_accesses >= MAP_LOOKUP_STRIDE)
		bpf_loop(memory_accesses / MAP_LOOKUP_STRIDE, look_up_stride, &queue, 0);
	if (look_up(queue, memory_accesses % MAP_LOOKUP_STRIDE))
		return XDP_ABORTED;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
