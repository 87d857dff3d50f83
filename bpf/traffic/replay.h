/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of the user's, sent as they are; a part of traffic.bpf.c. */
#ifndef LINERATE_TRAFFIC_REPLAY_H
#define LINERATE_TRAFFIC_REPLAY_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "objects/feed.h"
#include "objects/frames.h"
#include "traffic.h"

const volatile __u32 replayed = 0;	 /* places of the order; 0: frames of ours */
const volatile __u32 replayed_first = 0; /* of these, where the mix begins */

/* Make the frame, which is as long as the longest or more, the one that comes next. */
static __always_inline int replay(struct xdp_md *ctx, struct traffic_lane *lane)
{
	__u32 place = replayed_first + lane->place, *which, packet_bytes;
	long bytes = (long)ctx->data_end - (long)ctx->data;
	struct feed_frame *frame;

	lane->place = lane->place + 1 < replayed ? lane->place + 1 : 0;
	which = bpf_map_lookup_elem(&order, &place);
	frame = which ? bpf_map_lookup_elem(&frames, which) : NULL;
	if (!frame)
		return -1;
	packet_bytes = frame->packet_bytes;
	if (packet_bytes < FEED_PACKET_BYTES_MIN || packet_bytes > FEED_PACKET_BYTES_MAX)
		return -1;
	barrier_var(bytes); /* pointers are 64 bits wide, whatever is left of the difference */
	if (bytes != packet_bytes && bpf_xdp_adjust_tail(ctx, (int)packet_bytes - (int)bytes))
		return -1;
	return bpf_xdp_store_bytes(ctx, 0, frame->packet, packet_bytes);
}

#endif
