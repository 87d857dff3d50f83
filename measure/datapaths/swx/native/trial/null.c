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

int swx_trial_run_null(struct swx_bench *bench, const struct swx_load *load,
		       struct swx_report *report)
{
	uint64_t begin_cycles;
	int error = swx_bench_start(bench);

	*report = (struct swx_report){};
	if (!error) {
		sleep_seconds(load->warm_up_seconds);
		report->began_ns = runner_now_ns();
		begin_cycles = rte_rdtsc();
		swx_bench_read(bench, report->begin);
		sleep_seconds(load->seconds);
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
