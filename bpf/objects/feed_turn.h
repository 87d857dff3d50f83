/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frame comes next, to which program, and how long each took; a part of those that feed. */
#ifndef LINERATE_FEED_TURN_H
#define LINERATE_FEED_TURN_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "feed.h"
#include "frames.h"

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

/*
 * Wait until the frame is in its place, as it is in life long before a program sees it. What takes
 * no memory would go on beside the feeding, and what locks an entry of a map would wait for it.
 */
static __always_inline void settle(void)
{
	__sync_lock_test_and_set(&turn.settled, 1);
}

/* It never changes, to see by how much the machine's speed did; it begins when all is settled. */
static __always_inline __u32 work(void)
{
	__u32 value = turn.settled;
	int i;

	for (i = 0; i < 100; i++)
		value = value * 1664525 + 1013904223;
	return value;
}

#endif
