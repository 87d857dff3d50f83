// SPDX-License-Identifier: Apache-2.0
#include <rte_cycles.h>
#include <rte_swx_ctl.h>

#include "stretches.h"

/* Some bursts together: where one ends is known to an iteration of the pipeline. */
#define STRETCH_US 400

void swx_stretches_begin(struct swx_stretches *stretches, uint64_t cycles_per_second)
{
	stretches->least_cycles = STRETCH_US * cycles_per_second / 1000000;
	stretches->began_cycles = stretches->seen = stretches->count = 0;
}

/*
 * A stretch ends with the first packets that come when it is long enough: they come by bursts, and
 * others may disturb the core for some of a trial.
 */
void swx_time_stretch(struct swx_stretches *stretches, struct rte_swx_pipeline *pipeline,
		      const struct swx_replayed *replayed)
{
	uint64_t round = replayed ? replayed->round_packets : 1;
	uint64_t apart_cycles = replayed ? replayed->cycles : 0;
	struct rte_swx_port_in_stats in = {};
	uint64_t now_cycles = rte_rdtsc();

	if (now_cycles - stretches->began_cycles < stretches->least_cycles)
		return;
	rte_swx_ctl_pipeline_port_in_stats_read(pipeline, 0, &in);
	if (!stretches->seen || in.n_pkts / round == stretches->seen / round) {
		stretches->seen = in.n_pkts;
		return;
	}
	if (stretches->began_cycles)
		stretches->packet_cycles[stretches->count++ % SWX_STRETCHES] =
			(double)(now_cycles - stretches->began_cycles -
				 (apart_cycles - stretches->apart_cycles)) /
			(in.n_pkts - stretches->first);
	stretches->began_cycles = now_cycles;
	stretches->apart_cycles = apart_cycles;
	stretches->first = in.n_pkts;
	stretches->seen = 0;
}
