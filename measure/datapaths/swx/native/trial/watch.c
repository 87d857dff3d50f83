// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include <rte_cycles.h>

#include "common/runner.h"
#include "../ports/missed.h"
#include "watch.h"

static struct swx_report report;
static uint64_t missed_packets, at_cycles; /* at the last report */

void swx_watch_begin(const struct swx_bench *bench)
{
	uint64_t missed;

	memcpy(report.begin, report.end, sizeof(report.begin));
	swx_bench_read(bench, report.end);
	memcpy(report.drained, report.end, sizeof(report.drained));
	missed = swx_missed(bench->options->port, bench->workers[0].lane.device);
	report.ring_drops = missed - missed_packets;
	report.duration_cycles = report.end[0].at_cycles - at_cycles;
	missed_packets = missed;
	at_cycles = report.end[0].at_cycles;
	swx_report_sum(bench, &report);
}

int swx_watch_print(const struct swx_bench *bench)
{
	if (!swx_is_fed_from_outside(bench->options->port)) {
		runner_complain("an empty line: needs --port af_xdp or pci", 0);
		return -EINVAL;
	}
	swx_watch_begin(bench);
	swx_print_report(bench, &report);
	return 0;
}
