// SPDX-License-Identifier: Apache-2.0
/*
 * Watch a core that has nothing else to do: each gap between two looks at the clock that is longer
 * than some us is time in which the machine had taken the core away.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/hold.h"
#include "common/options.h"
#include "common/runner.h"

/* A gap of bin k lasts 2^k to 2^(k+1) times the shortest; the last bin has no end. */
#define BINS	    20
#define SECONDS_MAX 3600

struct watch_options {
	uint64_t core;
	uint64_t gap_ns;
	uint64_t seconds_max;
};

struct watch {
	struct watch_options options;
	pthread_t thread;
	atomic_int running;
	uint64_t watched_ns, gaps, gap_ns, longest_ns;
	uint64_t bins[BINS];
};

#define AT(member) offsetof(struct watch_options, member)

static const struct option_row rows[] = {
	{ "core", OPTION_COUNT, AT(core), "CORE", .help = "the core to watch", .needed = 1,
	  .maximum = 1023 },
	{ "gap-ns", OPTION_COUNT, AT(gap_ns), "NS", .help = "shortest gap that counts",
	  .preset = "5000", .minimum = 1000, .maximum = 1000000000 },
	{ "seconds-max", OPTION_COUNT, AT(seconds_max), "S", .help = "longest watch",
	  .preset = "60", .minimum = 1, .maximum = SECONDS_MAX },
	{},
};

static const struct option_table table = {
	.program = "stall_probe",
	.about =
		"Watch a core for gaps: the first line on standard input begins a watch, the next\n"
		"one ends it and is answered by its counts, and so on until that is closed.\n",
	.rows = rows,
};

static void count(struct watch *watch, uint64_t gap_ns)
{
	unsigned int bin = 63 - __builtin_clzll(gap_ns / watch->options.gap_ns);

	watch->gaps++;
	watch->gap_ns += gap_ns;
	if (gap_ns > watch->longest_ns)
		watch->longest_ns = gap_ns;
	watch->bins[bin < BINS ? bin : BINS - 1]++;
}

static void *look(void *of)
{
	struct watch *watch = of;
	uint64_t began_ns, end_ns, last_ns, now_ns;

	if (runner_pin(watch->options.core))
		return NULL;
	began_ns = last_ns = now_ns = runner_now_ns();
	end_ns = began_ns + watch->options.seconds_max * 1000000000;
	while (atomic_load_explicit(&watch->running, memory_order_relaxed) && now_ns < end_ns) {
		now_ns = runner_now_ns();
		if (now_ns - last_ns >= watch->options.gap_ns)
			count(watch, now_ns - last_ns);
		last_ns = now_ns;
	}
	watch->watched_ns = now_ns - began_ns;
	return NULL;
}

static int begin(struct watch *watch)
{
	watch->watched_ns = watch->gaps = watch->gap_ns = watch->longest_ns = 0;
	memset(watch->bins, 0, sizeof(watch->bins));
	atomic_store(&watch->running, 1);
	return -pthread_create(&watch->thread, NULL, look, watch);
}

static int end(struct watch *watch)
{
	unsigned int bin;

	atomic_store(&watch->running, 0);
	pthread_join(watch->thread, NULL);
	printf("{\"watched_ns\": %" PRIu64 ", \"gaps\": %" PRIu64 ", \"gap_ns\": %" PRIu64
	       ", \"longest_ns\": %" PRIu64 ", \"bins\": [",
	       watch->watched_ns, watch->gaps, watch->gap_ns, watch->longest_ns);
	for (bin = 0; bin < BINS; bin++)
		printf("%s%" PRIu64, bin ? ", " : "", watch->bins[bin]);
	printf("]}\n");
	return 0;
}

static int turn(void *of)
{
	struct watch *watch = of;

	return atomic_load(&watch->running) ? end(watch) : begin(watch);
}

int main(int argc, char **argv)
{
	struct watch watch = {};
	enum option_outcome outcome = options_parse(&table, argc, argv, &watch.options, NULL);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	error = runner_die_with_parent();
	if (!error)
		error = runner_try_core(watch.options.core);
	if (error) {
		runner_complain("core", error);
		return error == -EINVAL ? RUNNER_CANNOT : RUNNER_SETUP;
	}
	error = hold(turn, &watch);
	if (error)
		runner_complain("watch", error);
	return error ? RUNNER_SETUP : RUNNER_DONE;
}
