/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_TRAFFIC_OPTIONS_H
#define LINERATE_TRAFFIC_OPTIONS_H

#include <netinet/ether.h>
#include <stdint.h>

#include "bpf/traffic.h"

#define TRAFFIC_THREADS_MAX 64

struct traffic_options {
	const char *device;	 /* port that frames enter by */
	const char *sink_device; /* port that they come back to */
	const char *dut_device;
	const char *dut_netns;	       /* path of the namespace of the device under test */
	long cores[TRAFFIC_CORES_MAX]; /* one generator on each */
	int cores_count;
	long frame_bytes[TRAFFIC_SIZES_MAX]; /* slots of the mix, FCS included */
	int frame_bytes_count;
	long dut_threads[TRAFFIC_THREADS_MAX]; /* NAPI threads whose run time is taken */
	int dut_threads_count;
	enum traffic_arrivals arrivals;
	double packets_per_second;	/* over all cores */
	double link_packets_per_second; /* 0: no link limit */
	double window_packets;		/* most frames on their way from one core; 0: no limit */
	long turn_fds[TRAFFIC_CORES_MAX];
	int turn_fds_count;
	int mark_fd; /* gets a line at either end of the measured window; -1: none */
	double train_packets;
	double batch_packets; /* frames flushed together */
	double flows;
	enum traffic_protocol protocol;
	uint8_t tcp_flags;
	char payload_prefix[TRAFFIC_PREFIX_BYTES + 1]; /* ASCII */
	double sources;
	struct ether_addr destination_mac;
	double warm_up_seconds;
	double seconds;
	int stamped;
	int dut_uncounted;
	int pass_foreign;
};

extern const char traffic_usage[];

/* 0, or -EINVAL with the reason on stderr. */
int traffic_parse_options(int argc, char **argv, struct traffic_options *options);

#endif
