/* SPDX-License-Identifier: Apache-2.0 */
/* What one trial offers, and when each packet of it is due. */
#ifndef LINERATE_SWX_LOAD_H
#define LINERATE_SWX_LOAD_H

#include <stdint.h>

#define SWX_SIZES_MAX 16
#define SWX_GAPS      4096

enum swx_arrivals {
	SWX_FLOOD,
	SWX_CONSTANT, /* a train of packets every gap */
	SWX_POISSON,
};

struct swx_load {
	enum swx_arrivals arrivals;
	double packets_per_second;
	double train_packets;
	long frame_bytes[SWX_SIZES_MAX]; /* used in turn, FCS included */
	int sizes;
	double flows;
	double warm_up_seconds, seconds;
};

struct swx_schedule {
	enum swx_arrivals arrivals;
	double due_cycles; /* since the trial began, of the next train */
	double gap_cycles; /* mean */
	uint64_t train_packets;
	uint64_t due_packets; /* of trains that are due and not all sent */
	uint64_t random;
	float gaps[SWX_GAPS]; /* quantiles of the exponential distribution, mean 1 */
};

extern const char swx_load_usage[];

/* Of a line of flags, which is cut up; 0, or -EINVAL with the reason on stderr. */
int swx_load_parse(char *line, struct swx_load *load);
void swx_schedule_begin(struct swx_schedule *schedule, const struct swx_load *load,
			double cycles_per_second);
/* Packets due by now and not sent. */
uint64_t swx_schedule_due(struct swx_schedule *schedule, double now_cycles);

#endif
