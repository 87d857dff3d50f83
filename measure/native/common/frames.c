// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "frames.h"
#include "lines.h"
#include "options.h"

static int add_frame(const struct line *line, struct frames *to)
{
	struct feed_frame *frame;
	int bytes;

	if (to->count == FEED_FRAMES_MAX)
		return lines_refuse(line, "too many frames", -E2BIG);
	frame = &to->all[to->count];
	bytes = option_hex(line->words[1], frame->packet, sizeof(frame->packet));
	if (bytes < FEED_PACKET_BYTES_MIN)
		return lines_refuse(line, "not a frame", bytes < 0 ? bytes : -EINVAL);
	frame->packet_bytes = bytes;
	to->count++;
	return 0;
}

static int add_place(const struct line *line, struct frames *to)
{
	uint64_t place;

	if (to->order_count == FEED_ORDER_MAX)
		return lines_refuse(line, "too many places", -E2BIG);
	if (option_count(line->words[1], 0, FEED_FRAMES_MAX - 1, &place))
		return lines_refuse(line, "not a place of a frame", -EINVAL);
	to->order[to->order_count++] = place;
	return 0;
}

static int handle(const struct line *line, void *to)
{
	if (lines_match(line, "frame", 2))
		return add_frame(line, to);
	if (lines_match(line, "order", 2))
		return add_place(line, to);
	return 0;
}

int frames_read(const char *path, struct frames *frames)
{
	uint32_t at;
	int error;

	frames->all = calloc(FEED_FRAMES_MAX, sizeof(*frames->all));
	frames->order = calloc(FEED_ORDER_MAX, sizeof(*frames->order));
	if (!frames->all || !frames->order)
		return -ENOMEM;
	error = lines_for_each(path, handle, frames);
	for (at = 0; !error && at < frames->order_count; at++)
		if (frames->order[at] >= frames->count)
			error = -EINVAL;
	return error || frames->order_count ? error : -ENODATA;
}

void frames_free(struct frames *frames)
{
	free(frames->all);
	free(frames->order);
}

uint32_t frames_packet_bytes_max(const struct frames *frames)
{
	uint32_t at, most = 0;

	for (at = 0; at < frames->count; at++)
		most = frames->all[at].packet_bytes > most ? frames->all[at].packet_bytes : most;
	return most;
}

int frames_put(const struct frames *frames, int frames_fd, int order_fd)
{
	uint32_t at;

	for (at = 0; at < frames->count; at++)
		if (bpf_map_update_elem(frames_fd, &at, &frames->all[at], BPF_ANY))
			return -errno;
	for (at = 0; at < frames->order_count; at++)
		if (bpf_map_update_elem(order_fd, &at, &frames->order[at], BPF_ANY))
			return -errno;
	return 0;
}
