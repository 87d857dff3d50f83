/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of one program load, all together. */
#ifndef LINERATE_SWX_BENCH_H
#define LINERATE_SWX_BENCH_H

#include "worker.h"

struct swx_bench {
	const struct swx_options *options;
	struct swx_worker workers[SWX_WORKERS_MAX];
	int opened;
	int schedstat_fd; /* of generator and sink */
	uint32_t trials;
	double cycles_per_second;
};

/* 0 or negative errno; what was started is to be stopped in either case. */
int swx_bench_start(struct swx_bench *bench);
void swx_bench_stop(struct swx_bench *bench);
/* Counts of each worker, in counts[opened]. */
void swx_bench_read(const struct swx_bench *bench, struct swx_counts *counts);

#endif
