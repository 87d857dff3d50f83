// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds a program under test: puts the next frame back as it came, then calls the program. The
 * kernel's test run never does: a program that encapsulates would find its own header the next
 * time. Programs take turns every few microseconds, so that all see the same machine.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "feed_turn.h"

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
	settle();
	bpf_tail_call(ctx, &slots, segment->slot);
	return XDP_ABORTED;
}

SEC("xdp")
int empty(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int yardstick(struct xdp_md *ctx)
{
	return work() ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
