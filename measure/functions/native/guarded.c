// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "confined.h"
#include "guarded.h"

#define PAGE_BYTES  4096
#define ALIGN_BYTES 64 /* of a frame in a socket's memory: a function may count on it */
#define PATTERN	    0xa5

/* How far from the frame something was written; 0: at no place. */
static size_t written_before(const uint8_t *page, const uint8_t *frame)
{
	const uint8_t *at;

	for (at = page; at < frame; at++)
		if (*at != PATTERN)
			return frame - at;
	return 0;
}

static size_t written_behind(const uint8_t *end, const uint8_t *page_end)
{
	const uint8_t *at;

	for (at = page_end; at > end; at--)
		if (at[-1] != PATTERN)
			return at - end;
	return 0;
}

static int refuse(size_t bytes, const char *where)
{
	fprintf(stderr,
		"entry=%s: on frame %u (%u bytes) it writes byte %zu %s; allowed: the frame; "
		"correct it\n",
		doing.entry, doing.number, doing.packet_bytes, bytes, where);
	return -EINVAL;
}

static int run_at(function_call call, void *state, uint8_t *page, size_t at,
		  const struct feed_frame *frame)
{
	uint8_t *begin = page + at, *end = begin + frame->packet_bytes;
	size_t bytes;

	memset(page, PATTERN, PAGE_BYTES);
	memcpy(begin, frame->packet, frame->packet_bytes);
	doing.frame = begin;
	doing.packet_bytes = frame->packet_bytes;
	call(begin, frame->packet_bytes, state);
	doing.steps++;
	bytes = written_before(page, begin);
	if (bytes)
		return refuse(bytes, "before the frame");
	bytes = written_behind(end, page + PAGE_BYTES);
	return bytes ? refuse(bytes, "behind the frame's end") : 0;
}

int guarded_run(function_call call, void *state, const struct frames *frames)
{
	uint8_t *pages = mmap(NULL, 3 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error = 0;
	uint32_t at;

	if (pages == MAP_FAILED)
		return -errno;
	if (mprotect(pages + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE))
		error = -errno;
	doing.guard_before = pages;
	doing.guard_behind = pages + 2 * PAGE_BYTES;
	for (at = 0; !error && at < frames->count; at++) {
		const struct feed_frame *frame = &frames->all[at];
		size_t last = (PAGE_BYTES - frame->packet_bytes) / ALIGN_BYTES * ALIGN_BYTES;

		doing.number = at;
		error = run_at(call, state, pages + PAGE_BYTES, 0, frame);
		if (!error)
			error = run_at(call, state, pages + PAGE_BYTES, last, frame);
	}
	doing.guard_before = doing.guard_behind = NULL;
	munmap(pages, 3 * PAGE_BYTES);
	return error;
}
