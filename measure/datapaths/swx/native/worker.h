/* SPDX-License-Identifier: Apache-2.0 */
/* One instance of the pipeline, and the lcore that runs it. */
#ifndef LINERATE_SWX_WORKER_H
#define LINERATE_SWX_WORKER_H

#include <time.h>

#include <rte_swx_ctl.h>
#include <rte_swx_pipeline.h>

#include "ports/lane.h"
#include "stretches.h"

struct swx_counts {
	uint64_t at_cycles;
	uint64_t in, out, program_drops, tx_drops;
	uint64_t empty_polls;
	uint64_t run_ns, wait_ns; /* of the thread, as the scheduler has them */
};

struct swx_worker {
	struct swx_lane lane;
	struct rte_swx_pipeline *pipeline;
	struct rte_swx_ctl_pipeline *control;
	uint32_t quantum_instructions;
	int number;
	uint64_t last_port; /* packets end on all but port 0 */
	int thread_id;
	int schedstat_fd;
	clockid_t clock; /* of the time that the thread ran */
	int running;
	double empty_poll_cycles; /* nan where no poll is ever empty */
	struct swx_stretches stretches;
};

/* Each 0, or negative errno with the reason on stderr. */
int swx_worker_open_port(struct swx_worker *worker, const struct swx_options *options, int number);
/* The instance itself, on its port; from here on code runs that was made of what users wrote. */
int swx_worker_open(struct swx_worker *worker, const struct swx_options *options,
		    const char *library);
int swx_worker_start(struct swx_worker *worker);
void swx_worker_stop(struct swx_worker *worker);
/* How long one poll of an empty port takes, with all that a pipeline does between two polls. */
int swx_worker_time_empty_polls(struct swx_worker *worker);
void swx_worker_read(const struct swx_worker *worker, struct swx_counts *counts);

#endif
