// SPDX-License-Identifier: Apache-2.0
/*
 * Frames lie as a socket's memory has them, which is used up from its begin to its end and then
 * anew, and come in windows: first all of one are copied there, as the kernel does, then the
 * function gets them, which is timed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/runner.h"
#include "confined.h"
#include "timing.h"

#define BUFFERS		2048
#define BUFFER_BYTES	4096
#define HEADROOM_BYTES	256
#define WINDOW_FRAMES	256 /* that are on their way at once in the lab's serial mode */
#define TRIAL_RUNS	256
#define RUNS_MIN	32
#define RUNS_MAX	65536
#define YARDSTICK_STEPS 100

enum slot {
	SLOT_EMPTY,
	SLOT_YARDSTICK,
	SLOT_TESTED,
	SLOTS,
};

/* Some frames, one after the other, to one function; timed as a whole. */
struct segment {
	enum slot slot;
	uint32_t first, count; /* places in the order that take part, again and again */
	uint32_t at;	       /* the next of them */
};

/* A frame in its place. */
struct framed {
	uint8_t *frame;
	uint32_t packet_bytes;
};

struct timing {
	function_call calls[SLOTS];
	void *state;
	const struct frames *frames;
	uint8_t *buffers;
	uint32_t buffer; /* the next */
	struct framed window[WINDOW_FRAMES];
	struct segment segments[SLOTS + 2 * 256];
	uint32_t segments_count, runs;
	FILE *answer;
};

static uint32_t empty(uint8_t *frame, uint32_t length, void *state)
{
	(void)length;
	(void)state;
	asm volatile("" : : "r"(frame) : "memory");
	return 1;
}

/* What feed.bpf.c has; each step waits for the one before. */
static uint32_t yardstick(uint8_t *frame, uint32_t length, void *state)
{
	uint32_t value = length | 1;
	int i;

	(void)frame;
	(void)state;
	for (i = 0; i < YARDSTICK_STEPS; i++) {
		value = value * 1664525 + 1013904223;
		asm volatile("" : "+r"(value));
	}
	return value ? 1 : 3;
}

static void add_segment(struct timing *timing, enum slot slot, uint32_t first, uint32_t count)
{
	timing->segments[timing->segments_count++] =
		(struct segment){ .slot = slot, .first = first, .count = count };
}

/* The order begins with every frame once, for segments of one; the mix follows. */
static void plan(struct timing *timing, uint32_t each)
{
	uint32_t slot, frame, singles = timing->frames->count;

	for (slot = 0; slot < SLOTS; slot++)
		add_segment(timing, slot, singles, timing->frames->order_count - singles);
	for (frame = 0; frame < each; frame++) {
		add_segment(timing, SLOT_EMPTY, frame, 1);
		add_segment(timing, SLOT_TESTED, frame, 1);
	}
}

static const struct feed_frame *next_frame(const struct timing *timing, struct segment *segment)
{
	uint32_t place = segment->first + segment->at;

	segment->at = segment->at + 1 < segment->count ? segment->at + 1 : 0;
	return &timing->frames->all[timing->frames->order[place]];
}

static uint64_t time_window(struct timing *timing, struct segment *segment, uint32_t count)
{
	struct framed *window = timing->window;
	function_call call = timing->calls[segment->slot];
	uint64_t began_ns;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct feed_frame *frame = next_frame(timing, segment);
		uint8_t *to =
			timing->buffers + (size_t)timing->buffer * BUFFER_BYTES + HEADROOM_BYTES;

		memcpy(to, frame->packet, frame->packet_bytes);
		window[i].frame = to;
		window[i].packet_bytes = frame->packet_bytes;
		timing->buffer = (timing->buffer + 1) % BUFFERS;
	}
	began_ns = runner_now_ns();
	for (i = 0; i < count; i++)
		call(window[i].frame, window[i].packet_bytes, timing->state);
	began_ns = runner_now_ns() - began_ns;
	doing.steps++;
	return began_ns;
}

static uint32_t time_segment(struct timing *timing, struct segment *segment)
{
	uint32_t left = timing->runs, count;
	uint64_t ns = 0;

	for (; left; left -= count) {
		count = left < WINDOW_FRAMES ? left : WINDOW_FRAMES;
		ns += time_window(timing, segment, count);
	}
	return ns < UINT32_MAX ? ns : UINT32_MAX;
}

/* As many runs as fill a chunk of the slowest segment. */
static void size_segments(struct timing *timing, uint64_t chunk_us)
{
	uint64_t slowest_ns = 1, ns, runs;
	uint32_t at;

	timing->runs = TRIAL_RUNS;
	for (at = 0; at < timing->segments_count; at++) {
		ns = time_segment(timing, &timing->segments[at]) / TRIAL_RUNS;
		slowest_ns = ns > slowest_ns ? ns : slowest_ns;
	}
	runs = chunk_us * 1000 / slowest_ns;
	timing->runs = runs < RUNS_MIN ? RUNS_MIN : runs > RUNS_MAX ? RUNS_MAX : runs;
}

static void print_samples(const struct timing *timing, const uint32_t *samples, uint32_t rounds)
{
	uint32_t at, round;

	for (at = 0; at < timing->segments_count; at++) {
		const struct segment *segment = &timing->segments[at];

		fprintf(timing->answer, "{\"slot\": %u, \"frame\": %d, \"runs\": %u, \"ns\": [",
			segment->slot, at < SLOTS ? -1 : (int)timing->frames->order[segment->first],
			timing->runs);
		for (round = 0; round < rounds; round++)
			fprintf(timing->answer, "%s%u", round ? ", " : "",
				samples[round * timing->segments_count + at]);
		fprintf(timing->answer, "]}\n");
	}
}

/* What becomes of each frame, once the function knows them all. */
static void print_verdicts(const struct timing *timing)
{
	uint8_t *to = timing->buffers + HEADROOM_BYTES;
	uint32_t at, verdict;

	for (at = 0; at < timing->frames->count; at++) {
		const struct feed_frame *frame = &timing->frames->all[at];

		memcpy(to, frame->packet, frame->packet_bytes);
		verdict = timing->calls[SLOT_TESTED](to, frame->packet_bytes, timing->state);
		doing.steps++;
		fprintf(timing->answer, "{\"frame\": %u, \"verdict\": %u, \"packet_bytes\": %u}\n",
			at, verdict, frame->packet_bytes);
	}
}

static int time_all(struct timing *timing, const struct function_options *options)
{
	uint32_t rounds = options->rounds, round, at;
	uint32_t *samples = calloc((size_t)timing->segments_count * rounds, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	size_segments(timing, options->chunk_us);
	for (round = 0; round < rounds; round++)
		for (at = 0; at < timing->segments_count; at++)
			samples[round * timing->segments_count + at] =
				time_segment(timing, &timing->segments[at]);
	print_samples(timing, samples, rounds);
	free(samples);
	return 0;
}

int timing_run(function_call call, void *state, const struct frames *frames,
	       const struct function_options *options, FILE *answer)
{
	static struct timing timing;
	size_t bytes = (size_t)BUFFERS * BUFFER_BYTES;
	int error;

	if (options->each > frames->count || frames->order_count <= frames->count)
		return -EINVAL;
	timing = (struct timing){ .calls = { empty, yardstick, call },
				  .state = state,
				  .frames = frames,
				  .answer = answer };
	timing.buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (timing.buffers == MAP_FAILED)
		return -errno;
	plan(&timing, options->each);
	error = time_all(&timing, options);
	if (!error)
		print_verdicts(&timing);
	munmap(timing.buffers, bytes);
	return error;
}
