/* SPDX-License-Identifier: Apache-2.0 */
/* One trial: offer a load, count at both ends. */
#ifndef LINERATE_SWX_TRIAL_H
#define LINERATE_SWX_TRIAL_H

#include "../bench.h"
#include "latency.h"
#include "schedule.h"

struct swx_report {
	uint64_t began_ns; /* by the monotonic clock */
	uint64_t duration_cycles;
	uint64_t intended, sent, received, foreign;
	uint64_t ring_drops;  /* did not fit into a lane */
	uint64_t idle_cycles; /* of the generator: nothing due, nothing back */
	uint64_t generator_wait_ns;
	struct swx_counts begin[SWX_WORKERS_MAX], end[SWX_WORKERS_MAX];
	struct swx_counts drained[SWX_WORKERS_MAX]; /* when the window's last packet is back */
	struct swx_latency latency;
};

/* 0 or negative errno with the reason on stderr. */
int swx_trial_run(struct swx_bench *bench, const struct swx_load *load, struct swx_report *report);
/* The same where packets are generated on the lcore. */
int swx_trial_run_null(struct swx_bench *bench, const struct swx_load *load,
		       struct swx_report *report);
/* Where nothing is generated: what the instances took was sent, what they gave is back. */
void swx_report_sum(const struct swx_bench *bench, struct swx_report *report);
void swx_print_report(const struct swx_bench *bench, const struct swx_report *report);

#endif
