/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of a user's and the order that they come in: maps of those programs that send them. */
#ifndef LINERATE_FRAMES_OF_USER_H
#define LINERATE_FRAMES_OF_USER_H

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
	__type(value, __u32); /* place of a frame */
} order SEC(".maps");

#endif
