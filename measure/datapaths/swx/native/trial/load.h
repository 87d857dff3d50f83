/* SPDX-License-Identifier: Apache-2.0 */
/* What one trial offers. */
#ifndef LINERATE_SWX_LOAD_H
#define LINERATE_SWX_LOAD_H

#include "common/options.h"

#define SWX_SIZES_MAX 16

enum swx_arrivals {
	SWX_FLOOD,
	SWX_CONSTANT, /* a burst of packets every gap */
	SWX_POISSON,
};

struct swx_load {
	enum swx_arrivals arrivals;
	double packets_per_second;
	uint64_t burst_packets;
	struct option_list frame_bytes; /* one after the other, FCS included */
	uint64_t flows;
	uint64_t seed;
	uint8_t destination_mac[OPTION_MAC_BYTES];
	double warm_up_seconds, seconds;
};

extern const struct option_table swx_load_table;

/* Of a line of flags, which is cut up. */
enum option_outcome swx_load_parse(char *line, struct swx_load *load);

#endif
