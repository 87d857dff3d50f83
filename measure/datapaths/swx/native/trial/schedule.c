// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "schedule.h"

#define SEED 0x9e3779b97f4a7c15ULL

void swx_schedule_begin(struct swx_schedule *schedule, const struct swx_load *load,
			double cycles_per_second)
{
	int i;

	*schedule = (struct swx_schedule){
		.arrivals = load->arrivals,
		.burst_packets = load->burst_packets,
		.random = SEED ^ load->seed,
	};
	if (load->arrivals == SWX_FLOOD)
		return;
	schedule->gap_cycles = cycles_per_second / load->packets_per_second * load->burst_packets;
	/* Mid-points of equal shares; their mean is 1 but for the last one's tail. */
	for (i = 0; i < SWX_GAPS; i++)
		schedule->gaps[i] = -log1p(-(i + 0.5) / SWX_GAPS);
}

static double next_gap_cycles(struct swx_schedule *schedule)
{
	if (schedule->arrivals == SWX_CONSTANT)
		return schedule->gap_cycles;
	schedule->random ^= schedule->random << 13;
	schedule->random ^= schedule->random >> 7;
	schedule->random ^= schedule->random << 17;
	return schedule->gap_cycles * schedule->gaps[(schedule->random >> 32) % SWX_GAPS];
}

uint64_t swx_schedule_due(struct swx_schedule *schedule, double now_cycles)
{
	if (schedule->arrivals == SWX_FLOOD)
		return UINT64_MAX;
	while (schedule->due_cycles <= now_cycles) {
		schedule->due_packets += schedule->burst_packets;
		schedule->due_cycles += next_gap_cycles(schedule);
	}
	return schedule->due_packets;
}
