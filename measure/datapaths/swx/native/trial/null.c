// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <time.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "common/runner.h"
#include "trial.h"

static void sleep_seconds(double seconds)
{
	struct timespec left = { .tv_sec = seconds };

	left.tv_nsec = (seconds - left.tv_sec) * 1e9;
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void time_stretches(struct swx_bench *bench, int timed)
{
	int i;

	for (i = 0; i < bench->opened; i++)
		__atomic_store_n(&bench->workers[i].stretches.timed, timed, __ATOMIC_RELEASE);
}

int swx_trial_run_null(struct swx_bench *bench, const struct swx_load *load,
		       struct swx_report *report)
{
	uint64_t begin_cycles;
	int i, error;

	for (i = 0; i < bench->opened; i++)
		swx_stretches_begin(&bench->workers[i].stretches, bench->cycles_per_second);
	error = swx_bench_start(bench);
	*report = (struct swx_report){};
	if (!error) {
		sleep_seconds(load->warm_up_seconds);
		report->began_ns = runner_now_ns();
		begin_cycles = rte_rdtsc();
		swx_bench_read(bench, report->begin);
		time_stretches(bench, 1);
		sleep_seconds(load->seconds);
		time_stretches(bench, 0);
		report->duration_cycles = rte_rdtsc() - begin_cycles;
		swx_bench_read(bench, report->end);
		swx_bench_read(bench, report->drained);
	}
	swx_bench_stop(bench);
	swx_report_sum(bench, report);
	/* Packets of the warm-up that leave in a burst of the window are not the window's. */
	report->received = RTE_MIN(report->received, report->sent);
	return error;
}
