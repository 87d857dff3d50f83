// SPDX-License-Identifier: Apache-2.0
/*
 * Look now and then how long work that fills all of a core takes there, over work that is one
 * chain: where the core's other hardware thread is busy, half as long again and more. Both follow
 * the clock, which may change. On a virtual machine the other thread may be another guest's, and
 * nothing else shows it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "common/hold.h"
#include "common/options.h"
#include "common/runner.h"

/* More looks than this in one watch: every other is forgotten, and the next are half as often. */
#define LOOKS_MAX 1000
#define EVERY_NS  5000000
#define ROUNDS	  2000
#define LINKS	  1300
#define SECOND_NS 1000000000

struct watch_options {
	uint64_t core;
};

struct look {
	uint64_t at_ns, wide_ns, chain_ns;
};

struct watch {
	struct watch_options options;
	pthread_t thread;
	atomic_int running;
	unsigned int count;
	uint64_t every_ns;
	struct look looks[LOOKS_MAX];
};

#define AT(member) offsetof(struct watch_options, member)

static const struct option_row rows[] = {
	{ "core", OPTION_COUNT, AT(core), "CORE", .help = "the core to look at", .needed = 1,
	  .maximum = 1023 },
	{},
};

static const struct option_table table = {
	.program = "sharing_probe",
	.about =
		"Time fixed work of some us on a core, two hundred times a second. A line says when\n"
		"it is ready; the first line on standard input begins a watch, the next one ends it\n"
		"and is answered by a list of looks (when, ns of work that fills a core, ns of a\n"
		"chain), and so on until that is closed.\n",
	.rows = rows,
};

/* Eight chains of additions that need nothing of each other: as many at once as the core can. */
static void work_wide(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
		__asm__ volatile("" : "+r"(e), "+r"(f), "+r"(g), "+r"(h));
		a += 1, b += 1, c += 1, d += 1, e += 1, f += 1, g += 1, h += 1;
	}
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d));
	__asm__ volatile("" : : "r"(e), "r"(f), "r"(g), "r"(h));
}

/* Each multiplication needs the one before, and leaves nearly all of the core to others. */
static void work_in_chain(void)
{
	uint64_t value = 1, factor = 3;
	int i;

	for (i = 0; i < LINKS; i++) {
		__asm__ volatile("" : "+r"(value), "+r"(factor));
		value *= factor;
	}
	__asm__ volatile("" : : "r"(value));
}

static uint64_t time_once(void (*work)(void))
{
	uint64_t began_ns = runner_now_ns();

	work();
	return runner_now_ns() - began_ns;
}

/* The lesser of two: an interrupt lengthens one of them. */
static uint64_t time_work(void (*work)(void))
{
	uint64_t first_ns = time_once(work), second_ns = time_once(work);

	return first_ns < second_ns ? first_ns : second_ns;
}

static void forget_every_other(struct watch *watch)
{
	unsigned int i;

	for (i = 0; 2 * i < watch->count; i++)
		watch->looks[i] = watch->looks[2 * i];
	watch->count = i;
	watch->every_ns *= 2;
}

static void take_look(struct watch *watch)
{
	struct look *look = &watch->looks[watch->count++];

	look->at_ns = runner_now_ns();
	look->wide_ns = time_work(work_wide);
	look->chain_ns = time_work(work_in_chain);
	if (watch->count == LOOKS_MAX)
		forget_every_other(watch);
}

static void *look_on(void *of)
{
	struct watch *watch = of;
	struct timespec next;
	uint64_t next_ns;

	if (runner_pin(watch->options.core))
		return NULL;
	for (next_ns = runner_now_ns(); atomic_load_explicit(&watch->running, memory_order_relaxed);
	     next_ns += watch->every_ns) {
		next.tv_sec = next_ns / SECOND_NS;
		next.tv_nsec = next_ns % SECOND_NS;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		take_look(watch);
	}
	return NULL;
}

static int begin(struct watch *watch)
{
	watch->count = 0;
	watch->every_ns = EVERY_NS;
	atomic_store(&watch->running, 1);
	return -pthread_create(&watch->thread, NULL, look_on, watch);
}

static int end(struct watch *watch)
{
	const struct look *look;
	unsigned int i;

	atomic_store(&watch->running, 0);
	pthread_join(watch->thread, NULL);
	printf("[");
	for (i = 0; i < watch->count; i++) {
		look = &watch->looks[i];
		printf("%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i ? ", " : "", look->at_ns,
		       look->wide_ns, look->chain_ns);
	}
	printf("]\n");
	return 0;
}

static int turn(void *of)
{
	struct watch *watch = of;

	return atomic_load(&watch->running) ? end(watch) : begin(watch);
}

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = 1 };
	static struct watch watch;
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
	/* Before whatever has the core, for as long as a look takes: both threads, or a watch would
	 * begin late. Without the right, after it.
	 */
	sched_setscheduler(0, SCHED_FIFO, &first);
	puts("ready");
	error = fflush(stdout) ? -errno : hold(turn, &watch);
	if (error)
		runner_complain("watch", error);
	return error ? RUNNER_SETUP : RUNNER_DONE;
}
