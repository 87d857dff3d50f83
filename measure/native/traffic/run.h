/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the generator and sink, and what is counted of it. */
#ifndef LINERATE_TRAFFIC_RUN_H
#define LINERATE_TRAFFIC_RUN_H

#include <pthread.h>
#include <sys/types.h>

#include "bpf/traffic.h" /* the skeleton needs its types */
#include "traffic.skel.h"
#include "common/frames.h"
#include "kernel/device_counters.h"
#include "options.h"
#include "report.h"

#define TRAFFIC_SINKS_MAX 2

struct generator {
	pthread_t thread;
	const struct traffic_options *options;
	const struct frames *frames;
	struct traffic_bpf *bpf;
	unsigned int core;
	int program_fd;
	volatile pid_t thread_id;
	int wake_fd;   /* raised when the device has nothing left to do */
	uint64_t lost; /* frames given up, that never came back */
	volatile int released;
	int error;
};

struct traffic {
	struct traffic_options options;
	struct traffic_bpf *bpf;
	struct frames frames; /* none: ours are sent */
	struct bpf_link *sinks[TRAFFIC_SINKS_MAX];
	struct device device, dut, sink_device;
	struct device out, far; /* open where there is a second way out */
	struct generator generators[TRAFFIC_CORES_MAX];
	size_t running;
};

/* Load both programs, attach the sink, open the devices' counters; 0 or -errno. */
int traffic_set_up(struct traffic *traffic);
void traffic_tear_down(struct traffic *traffic);
/* Read every counter now; 0 or -errno. */
int traffic_take_snapshot(const struct traffic *traffic, struct traffic_snapshot *snapshot);
/*
 * The kernel counts a wait when it ends: of threads that were without their core when a snapshot
 * was taken, count what of that lay before it.
 */
void traffic_await_ready(const struct traffic *traffic, struct traffic_snapshot *snapshot);

#endif
