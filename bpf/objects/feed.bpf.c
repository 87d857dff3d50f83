// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds a program under test: puts the next frame back as it came, then calls the program. The
 * kernel's test run never does: a program that encapsulates would find its own header the next
 * time. Programs take turns every few microseconds, so that all see the same machine.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "feed.h"

/* Their sizes are set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct feed_frame);
} frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} order SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FEED_SEGMENTS_MAX);
	__type(key, __u32);
	__type(value, struct feed_segment);
} segments SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FEED_SAMPLES_MAX);
	__type(key, __u32);
	__type(value, __u32); /* ns */
} samples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, FEED_SLOTS);
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

volatile struct feed_turn turn = {};

static __always_inline void keep_sample(__u64 now_ns)
{
	__u32 at = turn.samples;
	__u32 *sample = bpf_map_lookup_elem(&samples, &at);

	if (sample && turn.began_ns) {
		*sample = now_ns - turn.began_ns;
		turn.samples = at + 1;
	}
}

/* The segment that is on: the next one when its runs are over. */
static __always_inline struct feed_segment *this_segment(void)
{
	struct feed_segment *segment;
	__u32 at = turn.segment;

	if (turn.left) {
		turn.left--;
		return bpf_map_lookup_elem(&segments, &at);
	}
	keep_sample(bpf_ktime_get_ns());
	at = turn.began_ns ? at + 1 : 0;
	if (at >= turn.segments)
		at = 0;
	turn.segment = at;
	segment = bpf_map_lookup_elem(&segments, &at);
	if (segment)
		turn.left = segment->runs - 1;
	turn.began_ns = bpf_ktime_get_ns();
	return segment;
}

static __always_inline struct feed_frame *next_frame(struct feed_segment *segment)
{
	__u32 place = segment->first + segment->at, *frame;

	segment->at = segment->at + 1 < segment->count ? segment->at + 1 : 0;
	frame = bpf_map_lookup_elem(&order, &place);
	return frame ? bpf_map_lookup_elem(&frames, frame) : NULL;
}

/* Undo what the program before did to the packet's head, where it did anything. */
static __always_inline long restore_head(struct xdp_md *ctx)
{
	long moved;

	if (ctx->data_meta != ctx->data &&
	    bpf_xdp_adjust_meta(ctx, (long)ctx->data - (long)ctx->data_meta))
		return -1;
	turn.data = (long)ctx->data; /* read back, it is a number and no pointer */
	if (!turn.origin)
		turn.origin = turn.data;
	moved = turn.data - turn.origin;
	return moved ? bpf_xdp_adjust_head(ctx, -(int)moved) : 0;
}

static __always_inline long restore_length(struct xdp_md *ctx, __u32 packet_bytes)
{
	long bytes = (long)ctx->data_end - (long)ctx->data;

	barrier_var(bytes); /* pointers are 64 bits wide, whatever is left of the difference */
	return bytes != packet_bytes ? bpf_xdp_adjust_tail(ctx, (int)packet_bytes - (int)bytes) : 0;
}

SEC("xdp")
int feed(struct xdp_md *ctx)
{
	struct feed_segment *segment = this_segment();
	struct feed_frame *frame = segment ? next_frame(segment) : NULL;
	__u32 packet_bytes;

	if (!frame)
		return XDP_ABORTED;
	packet_bytes = frame->packet_bytes;
	if (packet_bytes < FEED_PACKET_BYTES_MIN || packet_bytes > FEED_PACKET_BYTES_MAX)
		return XDP_ABORTED;
	if (restore_head(ctx) || restore_length(ctx, packet_bytes) ||
	    bpf_xdp_store_bytes(ctx, 0, frame->packet, packet_bytes)) {
		turn.failures++;
		return XDP_ABORTED;
	}
	bpf_tail_call(ctx, &slots, segment->slot);
	return XDP_ABORTED;
}

SEC("xdp")
int empty(struct xdp_md *ctx)
{
	return XDP_PASS;
}

/* Work that never changes, to see by how much the machine's speed did. */
SEC("xdp")
int yardstick(struct xdp_md *ctx)
{
	__u32 value = ctx->rx_queue_index | 1;
	int i;

	for (i = 0; i < 100; i++)
		value = value * 1664525 + 1013904223;
	return value ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
