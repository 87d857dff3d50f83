/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_TRAFFIC_OPTIONS_H
#define LINERATE_TRAFFIC_OPTIONS_H

#include <stdint.h>

#include "bpf/traffic.h"
#include "common/options.h"

struct traffic_options {
	const char *device;	 /* port that frames enter by */
	const char *sink_device; /* port that they come back to */
	const char *dut_device;
	const char *out_device;		/* another one of it that packets leave by, or NULL */
	const char *far_device;		/* what that leads to: a second sink */
	const char *dut_netns;		/* path of the namespace of the device under test */
	int dut_uncounted;		/* no single device is under test */
	struct option_list cores;	/* one generator on each */
	struct option_list threads;	/* of the device under test, whose run time is taken */
	struct option_list frame_bytes; /* slots of the mix, FCS included */
	const char *frames_path;	/* of the user's frames; NULL: ours */
	enum traffic_arrivals arrivals;
	double packets_per_second;	/* over all cores */
	double link_packets_per_second; /* 0: no link limit */
	uint64_t burst_packets;		/* due at once */
	uint64_t batch_packets;		/* flushed together */
	uint64_t window_packets;	/* most frames on their way from one core; 0: no limit */
	struct option_list wake_fds;	/* one a core, where there is a window */
	uint64_t mark_fd; /* gets a line at either end of the measured window; 0: none */
	uint64_t flows, sources;
	enum traffic_protocol protocol;
	uint8_t tcp_flags;
	char payload_prefix[TRAFFIC_PREFIX_BYTES + 1]; /* ASCII */
	uint8_t destination_mac[OPTION_MAC_BYTES];
	double warm_up_seconds, seconds;
	int stamped;
	int timed; /* by stretches of some packets */
	int pass_foreign;
	int remade;    /* the user's frames have their length anew each time */
	int renewed;   /* what forwarding changes of a frame is written anew each time */
	int sink_skbs; /* what comes back is counted above the driver */
};

extern const struct option_table traffic_table;

enum option_outcome traffic_parse_options(int argc, char **argv, struct traffic_options *options);

#endif
