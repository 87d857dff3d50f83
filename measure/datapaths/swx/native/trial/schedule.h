/* SPDX-License-Identifier: Apache-2.0 */
/* When each packet of a load is due. */
#ifndef LINERATE_SWX_SCHEDULE_H
#define LINERATE_SWX_SCHEDULE_H

#include "load.h"

#define SWX_GAPS 4096

struct swx_schedule {
	enum swx_arrivals arrivals;
	double due_cycles; /* since the trial began, of the next burst */
	double gap_cycles; /* mean */
	uint64_t burst_packets;
	uint64_t due_packets; /* of bursts that are due and not all sent */
	uint64_t random;
	float gaps[SWX_GAPS]; /* quantiles of the exponential distribution, mean 1 */
};

void swx_schedule_begin(struct swx_schedule *schedule, const struct swx_load *load,
			double cycles_per_second);
/* Packets due by now and not sent. */
uint64_t swx_schedule_due(struct swx_schedule *schedule, double now_cycles);

#endif
