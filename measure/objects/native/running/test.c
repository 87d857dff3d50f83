// SPDX-License-Identifier: Apache-2.0
/*
 * First every frame once, to let maps grow; then segments in turn, timed: empty, yardstick and
 * tested on the whole mix, then empty and tested on each of the first frames by itself; then the
 * segments of the mix beside other cores that run it, too; last every frame once more, and places
 * of the mix as it comes, for their verdicts.
 */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feeding.h"
#include "rivals.h"
#include "../options.h"
#include "test.h"

#define TRIAL_RUNS   96
#define RUNS_MIN     32
#define RUNS_MAX     65536
#define TRIES_MAX    8
#define ROUNDS_MIN   5
#define ROUNDS_TRIED 3
#define ROUNDS_NS    500000000ull /* of all segments: a slow program gets fewer rounds */
#define ASKED_MAX    1024 /* verdicts of the mix, at most; each takes a call of the kernel, too */
#define ASKED_MIN    32
#define ASKED_NS     20000000ull
#define CALL_NS	     5000
#define SHARE_MIN    0.75	/* of the time that a rival has to have its core */
#define MIX	     FEED_SLOTS /* segments of the whole mix come first, one for each slot */

struct test {
	struct feeding feeding;
	struct frames frames;
	struct feed_segment segments[FEED_SEGMENTS_MAX];
	uint32_t segments_count;
	uint32_t each;
	uint32_t *samples;
	struct rivals rivals;
	uint32_t slowest_ns; /* of a frame, in any segment */
	double share;	     /* of the time that each rival had its core at least */
};

static void add_segment(struct test *test, uint32_t slot, uint32_t first, uint32_t count,
			uint32_t runs)
{
	test->segments[test->segments_count++] =
		(struct feed_segment){ .slot = slot, .first = first, .count = count, .runs = runs };
}

/* The order begins with every frame once, for segments of one; the mix follows. */
static int plan_segments(struct test *test, uint32_t runs)
{
	uint32_t slot, frame, mix, singles = test->frames.count;

	test->segments_count = 0;
	for (slot = 0; slot < FEED_SLOTS; slot++) {
		mix = test->frames.order_count - singles;
		add_segment(test, slot, singles, mix, runs);
		/* A third of the order apart: none finds frames that another just left warm. */
		test->segments[slot].at = mix / FEED_SLOTS * slot;
	}
	for (frame = 0; frame < test->each; frame++) {
		add_segment(test, FEED_EMPTY, frame, 1, runs);
		add_segment(test, FEED_TESTED, frame, 1, runs);
	}
	return feeding_plan(&test->feeding, test->segments, test->segments_count);
}

/* Run all segments so many times; the samples of all of them. */
static int run_rounds(struct test *test, uint32_t rounds)
{
	uint64_t runs = 1, samples = (uint64_t)test->segments_count * rounds;
	uint32_t at;

	/* One frame more begins the next segment, which ends the last sample. */
	for (at = 0; at < test->segments_count; at++)
		runs += (uint64_t)test->segments[at].runs * rounds;
	if (samples > FEED_SAMPLES_MAX || runs > UINT32_MAX)
		return -E2BIG;
	at = feeding_run(&test->feeding, runs, NULL);
	return (int)at ? (int)at : feeding_samples(&test->feeding, test->samples, samples);
}

/* Of the tried rounds, the least of a segment: a stall is not the program's. */
static uint64_t quickest_ns(const struct test *test, uint32_t segment)
{
	uint32_t round, ns, quickest = UINT32_MAX;

	for (round = 0; round < ROUNDS_TRIED; round++) {
		ns = test->samples[round * test->segments_count + segment];
		quickest = ns < quickest ? ns : quickest;
	}
	return quickest;
}

/* As many runs as fill a chunk of the slowest segment, as many rounds as there is time for. */
static int size_segments(struct test *test, uint64_t chunk_us, uint32_t *rounds)
{
	uint64_t runs, ns, most, all_ns = 1;
	int error = plan_segments(test, TRIAL_RUNS);
	uint32_t at;

	if (!error)
		error = run_rounds(test, ROUNDS_TRIED);
	if (error)
		return error;
	test->slowest_ns = 1;
	for (at = 0; at < test->segments_count; at++) {
		ns = quickest_ns(test, at);
		all_ns += ns;
		ns /= TRIAL_RUNS;
		test->slowest_ns = ns > test->slowest_ns ? ns : test->slowest_ns;
	}
	runs = chunk_us * 1000 / test->slowest_ns;
	runs = runs < RUNS_MIN ? RUNS_MIN : runs > RUNS_MAX ? RUNS_MAX : runs;
	most = ROUNDS_NS * TRIAL_RUNS / (all_ns * runs);
	most = most < ROUNDS_MIN ? ROUNDS_MIN : most;
	*rounds = *rounds > most ? most : *rounds;
	return plan_segments(test, runs);
}

static void print_verdict(const struct test *test, uint32_t place, uint32_t verdict, int mixed)
{
	printf("{\"frame\": %u, \"verdict\": %u, \"packet_bytes\": %u, \"mixed\": %s}\n",
	       test->frames.order[place], verdict, test->feeding.last_packet_bytes,
	       mixed ? "true" : "false");
}

/* Feed each frame once; print what became of it where that is asked for. */
static int feed_each(struct test *test, int print)
{
	uint32_t place, verdict;
	int error = 0;

	for (place = 0; !error && place < test->frames.order_count; place++) {
		struct feed_segment segment = {
			.slot = FEED_TESTED, .first = place, .count = 1, .runs = 1
		};

		if (print && place >= test->frames.count)
			break;
		error = feeding_plan(&test->feeding, &segment, 1);
		if (!error)
			error = feeding_run(&test->feeding, 1, &verdict);
		if (!error && print)
			print_verdict(test, place, verdict, 0);
	}
	return error;
}

/*
 * Places of the mix, evenly: a program may treat equal frames unlike, by chance, by turns, or
 * because many came before. One a call: the kernel prepares for several, which takes it some 40 ms.
 */
static int feed_mix(struct test *test)
{
	uint32_t singles = test->frames.count, mix = test->frames.order_count - singles;
	uint64_t most = ASKED_NS / (test->slowest_ns + CALL_NS);
	uint32_t asked, at, verdict;
	int error = 0;

	most = most > ASKED_MAX ? ASKED_MAX : most < ASKED_MIN ? ASKED_MIN : most;
	for (asked = 0; !error && asked < most; asked++) {
		struct feed_segment segment = { .slot = FEED_TESTED, .count = 1, .runs = 1 };

		at = mix > most ? (uint64_t)asked * mix / most : asked % mix;
		segment.first = singles + at;
		error = feeding_plan(&test->feeding, &segment, 1);
		if (!error)
			error = feeding_run(&test->feeding, 1, &verdict);
		if (!error)
			print_verdict(test, segment.first, verdict, 1);
	}
	return error;
}

static void print_samples(const struct test *test, uint32_t rounds, uint32_t rivals)
{
	uint32_t at, round;

	for (at = 0; at < test->segments_count; at++) {
		const struct feed_segment *segment = &test->segments[at];

		printf("{\"slot\": %u, \"frame\": %d, \"rivals\": %u, \"share\": %.3f, "
		       "\"runs\": %u, \"ns\": [",
		       segment->slot, at < MIX ? -1 : (int)test->frames.order[segment->first],
		       rivals, test->share, segment->runs);
		for (round = 0; round < rounds; round++)
			printf("%s%u", round ? ", " : "",
			       test->samples[round * test->segments_count + at]);
		puts("]}");
	}
}

/* Again where another process took a rival's core: it does not rival meanwhile. */
static int run_beside(struct test *test, uint32_t count, uint32_t rounds)
{
	int error = 0, ended, try;

	test->share = 0;
	for (try = 0; !error && test->share < SHARE_MIN && try < TRIES_MAX; try++) {
		error = rivals_begin(&test->rivals, count);
		if (!error)
			error = run_rounds(test, rounds);
		ended = rivals_end(&test->rivals, &test->share);
		error = error ? error : ended;
	}
	return error;
}

static int run_beside_rivals(struct test *test, uint32_t rounds)
{
	uint32_t count;
	int error = 0;

	test->segments_count = MIX;
	if (test->rivals.opened)
		error = feeding_plan(&test->feeding, test->segments, MIX);
	for (count = 1; !error && count <= test->rivals.opened; count++) {
		error = run_beside(test, count, rounds);
		if (!error)
			print_samples(test, rounds, count);
	}
	return error;
}

static int run(struct test *test, const struct object_options *options)
{
	uint32_t rounds = options->rounds;
	int error = feed_each(test, 0);

	if (!error)
		error = size_segments(test, options->chunk_us, &rounds);
	if (!error)
		error = run_rounds(test, rounds);
	if (!error)
		print_samples(test, rounds, 0);
	if (!error)
		error = run_beside_rivals(test, rounds);
	if (!error)
		error = feed_each(test, 1);
	return error ? error : feed_mix(test);
}

int test_program(const struct bpf_program *program, const struct object_options *options)
{
	struct test test = {
		.each = options->each,
		.share = 1,
		.feeding.ifindex = options->device ? if_nametoindex(options->device) : 0,
	};
	int error = frames_read(options->plan, &test.frames);

	if (error)
		goto out;
	error = -EINVAL;
	if (test.each > test.frames.count || test.frames.order_count <= test.frames.count)
		goto out;
	test.samples = calloc(FEED_SAMPLES_MAX, sizeof(*test.samples));
	error = test.samples ? feeding_open(&test.feeding, options->feed, program, &test.frames)
			     : -ENOMEM;
	if (!error)
		error = rivals_open(&test.rivals, options->feed, program, &test.frames,
				    test.feeding.ifindex, options->rivals);
	if (!error)
		error = run(&test, options);
	if (error == -EBADMSG)
		fputs("test run: its packets cannot be put back as they came, as behind "
		      "bpf_skb_change_head at tc; linerate measure runs it, with packets of its "
		      "own\n",
		      stderr);
	else if (error)
		fprintf(stderr, "test run: %s\n", strerror(-error));
	rivals_close(&test.rivals);
	feeding_close(&test.feeding);
out:
	free(test.samples);
	frames_free(&test.frames);
	return error;
}
