/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done to an object besides loading it, a line each, hexadecimal digits for bytes:
 *
 *     max MAP ENTRIES
 *     set SECTION OFFSET BYTES
 *     fill MAP KEY VALUE       a per-CPU map takes the value on each CPU
 *     call MAP INDEX PROGRAM
 *     nest MAP KEY MAP
 *     frame BYTES
 *     order FRAME...           places among the frames, from 0
 */
#ifndef LINERATE_OBJECT_PLAN_H
#define LINERATE_OBJECT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "feed.h"

struct bpf_object;

struct plan_frames {
	struct feed_frame *frames;
	uint32_t frames_count;
	uint32_t *order;
	uint32_t order_count;
};

/* Each reads the whole file and does its part; 0 or -errno with the reason on stderr. */
int plan_before_load(const char *path, struct bpf_object *object);
int plan_after_load(const char *path, struct bpf_object *object);
int plan_read_frames(const char *path, struct plan_frames *frames);
void plan_free_frames(struct plan_frames *frames);

#endif
