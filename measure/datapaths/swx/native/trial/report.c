// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <rte_common.h>

#include "common/stretches.h"
#include "trial.h"

static uint64_t member(const struct swx_counts *counts, size_t offset)
{
	return *(const uint64_t *)((const char *)counts + offset);
}

static uint64_t difference(const struct swx_report *report, int worker, size_t offset)
{
	return member(&report->end[worker], offset) - member(&report->begin[worker], offset);
}

void swx_report_sum(const struct swx_bench *bench, struct swx_report *report)
{
	int i;

	report->sent = report->received = 0;
	for (i = 0; i < bench->opened; i++) {
		report->sent += difference(report, i, offsetof(struct swx_counts, in));
		report->received += difference(report, i, offsetof(struct swx_counts, out));
	}
	report->intended = report->sent;
}

/* Over all workers, until the last packet of the window was back. */
static uint64_t lost(const struct swx_bench *bench, const struct swx_report *report, size_t offset)
{
	uint64_t all = 0;
	int i;

	for (i = 0; i < bench->opened; i++)
		all += member(&report->drained[i], offset) - member(&report->begin[i], offset);
	return all;
}

static void print_workers(const struct swx_bench *bench, const struct swx_report *report,
			  const char *name, size_t offset)
{
	int i;

	printf(", \"%s\": [", name);
	for (i = 0; i < bench->opened; i++)
		printf("%s%" PRIu64, i ? ", " : "", difference(report, i, offset));
	printf("]");
}

/* A worker polls whenever it has its core: useful is what is not spent on empty polls. */
static void print_useful(const struct swx_bench *bench, const struct swx_report *report)
{
	int i;

	printf(", \"useful_ratios\": [");
	for (i = 0; i < bench->opened; i++)
		/* Unknown where packets came already while empty polls were timed. */
		if (isnan(bench->workers[i].empty_poll_cycles) &&
		    difference(report, i, offsetof(struct swx_counts, empty_polls))) {
			printf("]");
			return;
		}
	for (i = 0; i < bench->opened; i++) {
		double cycles = difference(report, i, offsetof(struct swx_counts, at_cycles)) -
				difference(report, i, offsetof(struct swx_counts, wait_ns)) *
					bench->cycles_per_second / 1e9;
		double empty = difference(report, i, offsetof(struct swx_counts, empty_polls));
		double idle = empty ? empty * bench->workers[i].empty_poll_cycles / cycles : 0;

		printf("%s%.6f", i ? ", " : "", fmin(1, fmax(0, 1 - idle)));
	}
	printf("]");
}

/* Of each worker: what a packet took, in stretches of which the last are kept. */
static void print_stretches(const struct swx_bench *bench)
{
	static double packet_ns[SWX_STRETCHES];
	size_t kept, at;
	int i;

	printf(", \"stretches_ns\": [");
	for (i = 0; i < bench->opened; i++) {
		const struct swx_stretches *stretches = &bench->workers[i].stretches;

		kept = RTE_MIN(stretches->count, (size_t)SWX_STRETCHES);
		for (at = 0; at < kept; at++)
			packet_ns[at] =
				stretches->packet_cycles[at] * 1e9 / bench->cycles_per_second;
		fputs(i ? ", " : "", stdout);
		stretches_print(packet_ns, kept);
	}
	printf("]");
}

static uint64_t ns(const struct swx_bench *bench, uint64_t cycles)
{
	return cycles * 1e9 / bench->cycles_per_second;
}

void swx_print_report(const struct swx_bench *bench, const struct swx_report *report)
{
	printf("{\"began_ns\": %" PRIu64 ", \"duration_ns\": %" PRIu64 ", \"intended\": %" PRIu64
	       ", \"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"foreign\": %" PRIu64,
	       report->began_ns, ns(bench, report->duration_cycles), report->intended, report->sent,
	       report->received, report->foreign);
	printf(", \"dropped\": {\"dut_ring\": %" PRIu64 ", \"dut_program\": %" PRIu64
	       ", \"dut_tx\": %" PRIu64 "}",
	       report->ring_drops, lost(bench, report, offsetof(struct swx_counts, program_drops)),
	       lost(bench, report, offsetof(struct swx_counts, tx_drops)));
	print_workers(bench, report, "worker_in", offsetof(struct swx_counts, in));
	print_workers(bench, report, "worker_out", offsetof(struct swx_counts, out));
	print_workers(bench, report, "worker_empty_polls",
		      offsetof(struct swx_counts, empty_polls));
	print_workers(bench, report, "worker_run_ns", offsetof(struct swx_counts, run_ns));
	print_workers(bench, report, "worker_wait_ns", offsetof(struct swx_counts, wait_ns));
	print_useful(bench, report);
	printf(", \"generator_idle_ns\": %" PRIu64 ", \"generator_wait_ns\": %" PRIu64,
	       ns(bench, report->idle_cycles), report->generator_wait_ns);
	if (bench->options->port == SWX_RING || bench->options->port == SWX_MEMIF)
		swx_print_latency(&report->latency);
	if (bench->options->port == SWX_NULL)
		print_stretches(bench);
	printf("}\n");
	fflush(stdout);
}
