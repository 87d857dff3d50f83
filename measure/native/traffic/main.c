// SPDX-License-Identifier: Apache-2.0
/*
 * Generator and sink of the veth lab: live frames by BPF_PROG_TEST_RUN from one
 * pinned thread a core, and an XDP program that counts them when they are back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "common/runner.h"
#include "run.h"
#include "frame.h"
#include "handover.h"

#define FRAMES_PER_CALL	  (1 << 24)
#define RELEASE_STEP_US	  100
#define DRAIN_STEP_US	  2000
#define DRAIN_STEPS	  500
#define DRAIN_STILL_STEPS 10
#define START_SECONDS	  5
#define GRACE_SECONDS	  20
/*
 * A frame that comes again has the length that the device under test gave it, unless the
 * generator changes it, too: so each begins a little too long, and is cut. It takes time.
 */
#define REMADE_SPARE_BYTES 1

static volatile sig_atomic_t interrupted;

static void on_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void on_wake(int signal)
{
	(void)signal; /* only to end a system call */
}

static int catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal }, wake = { .sa_handler = on_wake };

	if (sigaction(SIGINT, &stop, NULL) || sigaction(SIGTERM, &stop, NULL) ||
	    sigaction(SIGUSR1, &wake, NULL))
		return -errno;
	return 0;
}

static void *generate(void *argument)
{
	struct generator *generator = argument;
	const struct traffic_options *options = generator->options;
	char packet[TRAFFIC_PACKET_BYTES_MAX];
	const struct sched_param normal = {};
	struct xdp_md context = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .ctx_in = &context,
		    .ctx_size_in = sizeof(context), .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		    .repeat = options->window_packets ? options->window_packets : FRAMES_PER_CALL,
		    .batch_size = options->batch_packets);
	int error;

	run.data_size_in = traffic_build_frame(options, packet);
	if (generator->frames->count)
		run.data_size_in = frames_packet_bytes_max(generator->frames);
	if (options->remade)
		run.data_size_in += REMADE_SPARE_BYTES;
	context.data_end = run.data_size_in;
	generator->thread_id = gettid();
	generator->error = runner_pin(generator->core);
	/* Two generators of real-time priority would leave no core to the thread that stops them.
	 */
	if (!generator->error && sched_setscheduler(0, SCHED_OTHER, &normal))
		generator->error = -errno;
	while (!generator->error && generator->bpf->bss->phase != TRAFFIC_STOP) {
		error = bpf_prog_test_run_opts(generator->program_fd, &run);
		if (error && error != -EINTR)
			generator->error = error;
		else if (options->window_packets)
			traffic_await_return(generator);
	}
	while (!generator->released)
		usleep(RELEASE_STEP_US); /* its times are read of the living thread */
	return NULL;
}

static int start_generators(struct traffic *traffic)
{
	const struct traffic_options *options = &traffic->options;
	int error;

	for (; traffic->running < options->cores.count; traffic->running++) {
		struct generator *generator = &traffic->generators[traffic->running];

		generator->options = options;
		generator->frames = &traffic->frames;
		generator->bpf = traffic->bpf;
		generator->core = options->cores.values[traffic->running];
		generator->program_fd = bpf_program__fd(
			options->window_packets ? traffic->bpf->progs.generate_or_sink
						: traffic->bpf->progs.generate);
		generator->wake_fd = options->wake_fds.values[traffic->running];
		error = pthread_create(&generator->thread, NULL, generate, generator);
		if (error)
			return -error;
	}
	return 0;
}

static int stop_generators(struct traffic *traffic)
{
	int error = 0;
	size_t i;

	traffic->bpf->bss->phase = TRAFFIC_STOP;
	for (i = 0; i < traffic->running; i++)
		pthread_kill(traffic->generators[i].thread, SIGUSR1);
	for (i = 0; i < traffic->running; i++)
		traffic->generators[i].released = 1;
	for (i = 0; i < traffic->running; i++) {
		pthread_join(traffic->generators[i].thread, NULL);
		if (traffic->generators[i].error)
			error = traffic->generators[i].error;
	}
	traffic->running = 0;
	return error;
}

static void sleep_until(uint64_t end_ns)
{
	uint64_t now_ns;

	while (!interrupted && (now_ns = runner_now_ns()) < end_ns)
		usleep((end_ns - now_ns) / 1000 + 1);
}

static int is_still(const struct traffic_snapshot *before, const struct traffic_snapshot *now)
{
	return before->sink.rx_packets == now->sink.rx_packets &&
	       before->dut.rx_packets == now->dut.rx_packets;
}

/* Wait until no frame moves any more. */
static int drain(struct traffic *traffic, struct traffic_snapshot *last)
{
	struct traffic_snapshot before;
	/* Processes on the way hold frames for longer than a ring does. */
	int still_needed =
		traffic->options.dut_uncounted || traffic->options.mark_fd ? DRAIN_STILL_STEPS : 1;
	int step, still = 0, error = traffic_take_snapshot(traffic, last);

	for (step = 0; !error && still < still_needed && step < DRAIN_STEPS; step++) {
		before = *last;
		usleep(DRAIN_STEP_US);
		error = traffic_take_snapshot(traffic, last);
		still = is_still(&before, last) ? still + 1 : 0;
	}
	return error;
}

/* Whoever counts elsewhere does so at the same moments. */
static void mark(const struct traffic_options *options)
{
	if (options->mark_fd && write(options->mark_fd, "\n", 1) < 0)
		runner_complain("--mark-fd", -errno);
}

/* A thread's first test run is set up for some milliseconds, in which nothing is sent. */
static int await_generators(const struct traffic *traffic)
{
	const volatile struct traffic_lane *lanes = traffic->bpf->bss->lanes;
	uint64_t end_ns = runner_now_ns() + START_SECONDS * 1000000000ull;
	size_t i;

	for (i = 0; i < traffic->running; i++) {
		while (!lanes[traffic->generators[i].core].running) {
			if (traffic->generators[i].error)
				return traffic->generators[i].error;
			if (interrupted || runner_now_ns() > end_ns)
				return -ETIME;
			usleep(RELEASE_STEP_US);
		}
	}
	return 0;
}

static int run(struct traffic *traffic, struct traffic_window *window)
{
	const struct traffic_options *options = &traffic->options;
	int error = start_generators(traffic), stop_error;

	if (!error)
		error = await_generators(traffic);
	if (!error && options->warm_up_seconds) {
		traffic->bpf->bss->phase = TRAFFIC_WARM_UP;
		sleep_until(runner_now_ns() + options->warm_up_seconds * 1e9);
	}
	if (!error) {
		error = traffic_take_snapshot(traffic, &window->begin);
		traffic->bpf->bss->phase = TRAFFIC_MEASURED;
		window->begin.at_ns = runner_now_ns();
		mark(options);
	}
	if (!error) {
		sleep_until(window->begin.at_ns + options->seconds * 1e9);
		traffic->bpf->bss->phase = TRAFFIC_STOP;
		error = traffic_take_snapshot(traffic, &window->end);
	}
	stop_error = stop_generators(traffic);
	if (!error)
		traffic_await_ready(traffic, &window->end);
	if (!error)
		error = stop_error;
	if (!error)
		error = drain(traffic, &window->drained);
	mark(options);
	return error;
}

int main(int argc, char **argv)
{
	static struct traffic traffic = { .device.socket = -1,
					  .dut.socket = -1,
					  .sink_device.socket = -1,
					  .out.socket = -1,
					  .far.socket = -1 };
	static struct traffic_window window;
	enum option_outcome outcome = traffic_parse_options(argc, argv, &traffic.options);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&traffic_table, outcome);
	runner_quiet_libbpf();
	/* Whatever hangs: the kernel ends us. */
	alarm(traffic.options.warm_up_seconds + traffic.options.seconds + GRACE_SECONDS);
	runner_run_first();
	error = runner_die_with_parent();
	if (!error)
		error = catch_signals();
	if (error)
		goto out;
	error = traffic_set_up(&traffic);
	if (error)
		goto out;
	error = run(&traffic, &window);
	if (!error)
		traffic_print_report(&traffic.options, &window, traffic.bpf->bss->lanes,
				     traffic.bpf->bss->stretches_ns, traffic.bpf->bss->sinks);
out:
	if (error)
		runner_complain("traffic", error);
	traffic_tear_down(&traffic);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
