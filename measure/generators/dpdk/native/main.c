// SPDX-License-Identifier: Apache-2.0
/*
 * Generator and sink of a cable's far end, by DPDK: one thread and a device, which is a card or,
 * by packet sockets, an interface of the kernel. It sends one load, waits for what is still on its
 * way, prints its counts and ends. What it knows of packets, of when they are due and of latency is
 * the pipelines' generator's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_version.h>

#include "common/runner.h"
#include "measure/datapaths/swx/native/eal.h"
#include "measure/datapaths/swx/native/ports/missed.h"
#include "measure/datapaths/swx/native/trial/trial.h"
#include "options.h"
#include "passing.h"

/* There is a lane, and no pipeline on it. */
int swx_bench_start(struct swx_bench *bench)
{
	(void)bench;
	return 0;
}

void swx_bench_stop(struct swx_bench *bench)
{
	(void)bench;
}

void swx_bench_read(const struct swx_bench *bench, struct swx_counts *counts)
{
	(void)bench;
	(void)counts;
}

static uint64_t ns(const struct swx_bench *bench, uint64_t cycles)
{
	return cycles * 1e9 / bench->cycles_per_second;
}

static void print_counts(const struct swx_bench *bench, const struct swx_report *report,
			 uint64_t missed)
{
	printf("{\"dpdk\": \"%s\", \"duration_ns\": %" PRIu64 ", \"intended\": %" PRIu64
	       ", \"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"foreign\": %" PRIu64
	       ", \"missed\": %" PRIu64 ", \"wait_ns\": %" PRIu64,
	       rte_version(), ns(bench, report->duration_cycles), report->intended, report->sent,
	       report->received, report->foreign, missed, report->generator_wait_ns);
	swx_print_latency(&report->latency);
	printf("}\n");
}

static int run(const struct dpdk_options *options)
{
	static struct swx_bench bench;
	static struct swx_report report;
	struct swx_lane *lane = &bench.workers[0].lane;
	uint64_t missed;
	int error = swx_eal_start(&options->device);

	if (!error && options->is_veth)
		error = dpdk_attach_passing(options->device.device);
	if (error)
		return error;
	bench.options = &options->device;
	bench.cycles_per_second = rte_get_tsc_hz();
	bench.schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (bench.schedstat_fd < 0)
		return -errno;
	error = swx_lane_open(lane, bench.options, 0);
	if (error)
		return error;
	bench.opened = 1;
	missed = swx_missed(bench.options->port, lane->device);
	error = swx_trial_run(&bench, &options->load, &report);
	if (!error)
		print_counts(&bench, &report,
			     swx_missed(bench.options->port, lane->device) - missed);
	return error;
}

int main(int argc, char **argv)
{
	static struct dpdk_options options;
	enum option_outcome outcome = dpdk_parse_options(argc, argv, &options);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&dpdk_table, outcome);
	runner_run_first();
	error = runner_die_with_parent();
	if (!error)
		error = run(&options);
	fflush(stdout);
	/* All of DPDK ends with the process: nothing of it is outside. */
	if (error == -EINVAL)
		_exit(RUNNER_USAGE);
	_exit(error ? runner_exit_code(error) : RUNNER_DONE);
}
