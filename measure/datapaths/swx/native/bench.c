// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

void swx_bench_read(const struct swx_bench *bench, struct swx_counts *counts)
{
	int i;

	for (i = 0; i < bench->opened; i++)
		swx_worker_read(&bench->workers[i], &counts[i]);
}

int swx_bench_start(struct swx_bench *bench)
{
	int i, error = 0;

	for (i = 0; !error && i < bench->opened; i++)
		error = swx_worker_start(&bench->workers[i]);
	return error;
}

void swx_bench_stop(struct swx_bench *bench)
{
	int i;

	for (i = 0; i < bench->opened; i++)
		swx_worker_stop(&bench->workers[i]);
}
