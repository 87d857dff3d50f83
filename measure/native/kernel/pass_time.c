// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <time.h>

#include "kernel/pass_time.h"

#define FIRST_PASSES 20 /* enough to know how many fit: one alone finds cold caches */
#define BATCHES	     20
#define BATCH_NS     2000000

static double cpu_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (double)spent.tv_sec * 1e9 + (double)spent.tv_nsec;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

int pass_time_take(int program_fd, struct bpf_test_run_opts *run, double *ns)
{
	double passes_ns[BATCHES], begin;
	int error, i;

	run->repeat = FIRST_PASSES;
	error = bpf_prog_test_run_opts(program_fd, run);
	run->repeat = BATCH_NS / (run->duration + 1) + 1;
	for (i = 0; i < BATCHES && !error; i++) {
		begin = cpu_ns();
		error = bpf_prog_test_run_opts(program_fd, run);
		/* run->duration is a whole number of ns: too coarse for a program of 3 ns. */
		passes_ns[i] = (cpu_ns() - begin) / run->repeat;
	}
	if (error)
		return error;
	qsort(passes_ns, BATCHES, sizeof(*passes_ns), compare);
	*ns = (passes_ns[BATCHES / 2 - 1] + passes_ns[BATCHES / 2]) / 2;
	return 0;
}
