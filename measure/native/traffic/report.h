/* SPDX-License-Identifier: Apache-2.0 */
/* What was counted at one moment, and the JSON line of the difference of two. */
#ifndef LINERATE_TRAFFIC_REPORT_H
#define LINERATE_TRAFFIC_REPORT_H

#include "bpf/traffic.h"
#include "kernel/device_counters.h"
#include "options.h"

struct traffic_snapshot {
	uint64_t at_ns;
	uint64_t backlog; /* packets due and not sent */
	uint64_t idle_ns[TRAFFIC_CORES_MAX];
	uint64_t generator_at_ns[TRAFFIC_CORES_MAX]; /* when its times were read */
	uint64_t generator_run_ns[TRAFFIC_CORES_MAX];
	uint64_t generator_wait_ns[TRAFFIC_CORES_MAX]; /* ready, but not running */
	uint64_t dut_thread_ns[OPTION_LIST_MAX];
	uint64_t dut_wait_ns[OPTION_LIST_MAX];
	uint64_t dut_turns[OPTION_LIST_MAX];	    /* how often each was given its core */
	int dut_cores[OPTION_LIST_MAX];		    /* where each ran last; -1: it is gone */
	int dut_ready[OPTION_LIST_MAX];		    /* whether it has its core, or waits for it */
	uint64_t core_idle_ns[TRAFFIC_CORES_MAX];   /* by whole ticks */
	uint64_t core_unused_ns[TRAFFIC_CORES_MAX]; /* idle, or in interrupts */
	struct device_counters device;
	struct device_counters dut; /* zeros where there is not one device to count at */
	struct device_counters sink;
};

struct traffic_window {
	struct traffic_snapshot begin; /* start of the measured phase */
	struct traffic_snapshot end;   /* its end */
	struct traffic_snapshot drained;
};

void traffic_print_report(const struct traffic_options *options,
			  const struct traffic_window *window, const struct traffic_lane *lanes,
			  const uint32_t (*stretches_ns)[TRAFFIC_STRETCHES],
			  const struct traffic_sink *sinks);

#endif
