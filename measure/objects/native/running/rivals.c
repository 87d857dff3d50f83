// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "bpf/objects/feed.h"
#include "common/runner.h"
#include "rivals.h"

#define SEGMENT_RUNS 4096
#define LOOK_NS	     100000

static void wake_up(int signal)
{
	(void)signal;
}

/* The cores that we may use: the first is that of the thread that times. */
static int choose_cores(struct rivals *rivals, uint32_t count)
{
	uint32_t found = 0;
	cpu_set_t allowed;
	int core;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (core = 0; core < CPU_SETSIZE && found <= count; core++) {
		if (!CPU_ISSET(core, &allowed))
			continue;
		if (found)
			rivals->all[found - 1].core = core;
		else
			rivals->home = core;
		found++;
	}
	return found > count ? 0 : -ERANGE;
}

static int open_one(struct rival *rival, const char *path, const struct bpf_program *tested,
		    const struct frames *frames, uint32_t ifindex)
{
	struct feed_segment mix = {
		.slot = FEED_TESTED,
		.first = frames->count,
		.count = frames->order_count - frames->count,
		.runs = SEGMENT_RUNS,
	};
	int error = feeding_open(&rival->feeding, path, tested, frames);

	rival->feeding.ifindex = ifindex;
	return error ? error : feeding_plan(&rival->feeding, &mix, 1);
}

int rivals_open(struct rivals *rivals, const char *path, const struct bpf_program *tested,
		const struct frames *frames, uint32_t ifindex, uint32_t count)
{
	int error = count > RIVALS_MAX ? -ERANGE : choose_cores(rivals, count);

	while (!error && rivals->opened < count)
		error = open_one(&rivals->all[rivals->opened++], path, tested, frames, ifindex);
	return error;
}

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec used;

	clock_gettime(clock, &used);
	return (uint64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* One call into the kernel, since each waits for all cores when it begins; a signal ends it. */
static void *work(void *argument)
{
	struct rival *rival = argument;

	rival->error = runner_pin(rival->core);
	if (!rival->error)
		rival->error = feeding_run(&rival->feeding, UINT32_MAX, NULL);
	rival->cpu_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - rival->before_ns;
	atomic_store(&rival->has_ended, 1);
	return NULL;
}

/* Until it ran so often that its first sample is there; its time counts from then on. */
static void wait_for(struct rival *rival)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	clockid_t clock;

	while (!rival->feeding.turn->samples && !atomic_load(&rival->has_ended))
		nanosleep(&look, NULL);
	if (!pthread_getcpuclockid(rival->thread, &clock))
		rival->before_ns = cpu_ns(clock);
}

static int begin(struct rival *rival)
{
	rival->feeding.turn->samples = 0;
	rival->before_ns = 0;
	rival->cpu_ns = 0;
	atomic_store(&rival->has_ended, 0);
	return -pthread_create(&rival->thread, NULL, work, rival);
}

int rivals_begin(struct rivals *rivals, uint32_t count)
{
	const struct sigaction action = { .sa_handler = wake_up };
	uint32_t at;
	int error = sigaction(SIGUSR1, &action, NULL) ? -errno : runner_pin(rivals->home);

	runner_run_first();
	while (!error && rivals->working < count) {
		error = begin(&rivals->all[rivals->working]);
		rivals->working += !error;
	}
	for (at = 0; at < rivals->working; at++)
		wait_for(&rivals->all[at]);
	rivals->began_ns = runner_now_ns();
	return error;
}

/* A signal that comes before the call into the kernel would be lost: it is sent again. */
static int end(struct rival *rival)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };

	while (!atomic_load(&rival->has_ended)) {
		pthread_kill(rival->thread, SIGUSR1);
		nanosleep(&look, NULL);
	}
	pthread_join(rival->thread, NULL);
	return rival->error == -EINTR ? 0 : rival->error;
}

int rivals_end(struct rivals *rivals, double *share)
{
	double wall_ns = runner_now_ns() - rivals->began_ns, had;
	int error = 0, ended;

	*share = 1;
	while (rivals->working) {
		struct rival *rival = &rivals->all[--rivals->working];

		ended = end(rival);
		error = error ? error : ended;
		had = rival->cpu_ns / wall_ns;
		*share = had < *share ? had : *share;
	}
	return error;
}

void rivals_close(struct rivals *rivals)
{
	while (rivals->opened)
		feeding_close(&rivals->all[--rivals->opened].feeding);
}
