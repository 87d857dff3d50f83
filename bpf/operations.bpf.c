// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * So many operations of each kind for each packet, in the order of the kinds; then
 * the packet leaves by the port it came in.
 *
 *   *_lookup         find an entry of 64 bytes and add 1 to its first 8
 *   shared_hash_add  find one in a table of all queues, and add 1 to it atomically
 *   key_only         what a lookup does before it looks up: draw a key
 *   packet_read      8 bytes within the first 60, at eight places in turn
 *   checksum         of the 20 bytes of the IPv4 header, by bpf_csum_diff()
 *   packet_write     8 bytes of the IPv4 header, its ordinal, at four places in turn
 *   header_push_pop  20 bytes put before the packet, zeroed, and taken off
 *   tail_call        from the program to itself, so to say: a chain of so many
 *
 * Keys are drawn by a linear congruential generator, so that no prefetcher follows;
 * none depends on what was found, so lookups of a packet may overlap, as in a
 * program that looks several tables up. A queue has keys of its own, so no entry is
 * written by two cores, as with flows that the device spreads over its queues; those
 * of shared_hash_add are written by all, as counters of what flows have in common.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "operations.h"
#include "operations_lookups.h"

struct operations_walk walks[OPERATIONS_QUEUES_MAX] = {};

int operations_called(struct xdp_md *ctx);

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__array(values, int(void *));
} calls SEC(".maps") = {
	.values = { [0] = (void *)&operations_called },
};

static __always_inline int read_packet(struct pass *pass, __u32 times)
{
	void *data = (void *)(long)pass->ctx->data;
	__u64 sum = pass->sum;
	__u32 i;

	if (data + OPERATIONS_READ_BYTES > (void *)(long)pass->ctx->data_end)
		return -1;
#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++)
		sum += *(__u64 *)(data + (i * 4 & 52));
	pass->sum = sum;
	return 0;
}

static __always_inline int sum_header(struct pass *pass, __u32 times)
{
	void *header = (void *)(long)pass->ctx->data + ETH_HLEN;
	__s64 checksum = pass->checksum;
	__u32 i;

	if (header + OPERATIONS_HEADER_BYTES > (void *)(long)pass->ctx->data_end)
		return -1;
#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		checksum = bpf_csum_diff(NULL, 0, header, OPERATIONS_HEADER_BYTES, checksum);
		if (checksum < 0)
			return -1;
	}
	pass->checksum = checksum;
	return 0;
}

/* The header is the only part that neither a switch nor the sink looks at. */
static __always_inline int write_packet(struct pass *pass, __u32 times)
{
	void *header = (void *)(long)pass->ctx->data + ETH_HLEN;
	__u64 writes = pass->writes;
	__u32 i;

	if (header + OPERATIONS_HEADER_BYTES > (void *)(long)pass->ctx->data_end)
		return -1;
#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++)
		*(__u64 *)(header + (i * 4 & 12)) = ++writes;
	pass->writes = writes;
	return 0;
}

static __always_inline int push_and_pop(struct pass *pass, __u32 times)
{
	void *data;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		if (bpf_xdp_adjust_head(pass->ctx, -OPERATIONS_HEADER_BYTES))
			return -1;
		data = (void *)(long)pass->ctx->data;
		if (data + OPERATIONS_HEADER_BYTES > (void *)(long)pass->ctx->data_end)
			return -1;
		__builtin_memset(data, 0, OPERATIONS_HEADER_BYTES);
		if (bpf_xdp_adjust_head(pass->ctx, OPERATIONS_HEADER_BYTES))
			return -1;
	}
	return 0;
}

/*
 * Strides of an operation by bpf_loop(), as in map_lookup, then what remains. Each
 * kind has a callback of its own: one call that serves two tables is not inlined.
 */
#define REPEATED(operation)                                                               \
	static long operation##_stride(__u32 turn, void *pass)                            \
	{                                                                                 \
		return operation(pass, OPERATIONS_STRIDE) ? 1 : 0;                        \
	}                                                                                 \
                                                                                          \
	static __always_inline int repeat_##operation(struct pass *pass, __u32 count)     \
	{                                                                                 \
		__u32 strides = count / OPERATIONS_STRIDE;                                \
                                                                                          \
		if (!count)                                                               \
			return 0;                                                         \
		if (strides && bpf_loop(strides, operation##_stride, pass, 0) != strides) \
			return -1;                                                        \
		return operation(pass, count % OPERATIONS_STRIDE);                        \
	}

REPEATED(look_array_up)
REPEATED(look_percpu_array_up)
REPEATED(look_hash_up)
REPEATED(look_lru_hash_up)
REPEATED(look_lpm_up)
REPEATED(add_to_shared_hash)
REPEATED(draw_keys)
REPEATED(read_packet)
REPEATED(sum_header)
REPEATED(write_packet)
REPEATED(push_and_pop)

static __always_inline int operate(struct pass *pass)
{
	const volatile __u32 *counts = settings.counts;

	if (repeat_look_array_up(pass, counts[OPERATIONS_ARRAY_LOOKUP]) ||
	    repeat_look_percpu_array_up(pass, counts[OPERATIONS_PERCPU_ARRAY_LOOKUP]) ||
	    repeat_look_hash_up(pass, counts[OPERATIONS_HASH_LOOKUP]) ||
	    repeat_look_lru_hash_up(pass, counts[OPERATIONS_LRU_HASH_LOOKUP]) ||
	    repeat_look_lpm_up(pass, counts[OPERATIONS_LPM_LOOKUP]) ||
	    repeat_add_to_shared_hash(pass, counts[OPERATIONS_SHARED_HASH_ADD]) ||
	    repeat_draw_keys(pass, counts[OPERATIONS_KEY_ONLY]) ||
	    repeat_read_packet(pass, counts[OPERATIONS_PACKET_READ]) ||
	    repeat_sum_header(pass, counts[OPERATIONS_CHECKSUM]) ||
	    repeat_write_packet(pass, counts[OPERATIONS_PACKET_WRITE]) ||
	    repeat_push_and_pop(pass, counts[OPERATIONS_HEADER_PUSH_POP]))
		return -1;
	return 0;
}

SEC("xdp")
int operations(struct xdp_md *ctx)
{
	struct pass pass = { .ctx = ctx, .queue = ctx->rx_queue_index };
	struct operations_walk *walk;

	if (pass.queue >= OPERATIONS_QUEUES_MAX)
		return XDP_ABORTED;
	walk = &walks[pass.queue];
	pass.draw = walk->draw;
	if (operate(&pass))
		return XDP_ABORTED;
	walk->draw = pass.draw;
	walk->checksum = pass.checksum;
	walk->sum += pass.sum;
	if (!settings.counts[OPERATIONS_TAIL_CALL])
		return XDP_TX;
	walk->calls_left = settings.counts[OPERATIONS_TAIL_CALL];
	bpf_tail_call_static(ctx, &calls, 0);
	return XDP_ABORTED;
}

/* One link of the chain. The slot is a constant, so the kernel makes the call a jump. */
SEC("xdp")
int operations_called(struct xdp_md *ctx)
{
	__u32 queue = ctx->rx_queue_index;
	struct operations_walk *walk;

	if (queue >= OPERATIONS_QUEUES_MAX)
		return XDP_ABORTED;
	walk = &walks[queue];
	walk->calls++;
	if (!--walk->calls_left)
		return XDP_TX;
	bpf_tail_call_static(ctx, &calls, 0);
	return XDP_ABORTED;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
