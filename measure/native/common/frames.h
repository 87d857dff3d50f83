/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a user's, and the order that they come in, from a file of lines:
 *
 *     frame HEX       without FCS
 *     order PLACE     a frame by its place among them, from 0: each once, then the mix
 *
 * Lines that begin otherwise are for other readers.
 */
#ifndef LINERATE_FRAMES_H
#define LINERATE_FRAMES_H

#include <stdint.h>

#include "bpf/objects/feed.h"

struct frames {
	struct feed_frame *all;
	uint32_t count;
	uint32_t *order;
	uint32_t order_count;
};

/* 0, or -errno with the reason on stderr. */
int frames_read(const char *path, struct frames *frames);
void frames_free(struct frames *frames);
/* Of the largest of them. */
uint32_t frames_packet_bytes_max(const struct frames *frames);
/* Write all into the two maps; 0 or -errno. */
int frames_put(const struct frames *frames, int frames_fd, int order_fd);

#endif
