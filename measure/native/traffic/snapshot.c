// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/runner.h"
#include "run.h"

/* Time that a thread ran, and that it was ready but another one had its core. */
static void read_schedstat(const char *path, uint64_t *run_ns, uint64_t *wait_ns)
{
	FILE *file = fopen(path, "re");

	*run_ns = *wait_ns = 0;
	if (!file)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64, run_ns, wait_ns) != 2)
		*run_ns = *wait_ns = 0;
	fclose(file);
}

static void take_thread_times(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	const struct option_list *threads = &traffic->options.threads;
	char path[64];
	size_t i;

	for (i = 0; i < threads->count; i++) {
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/schedstat", threads->values[i]);
		read_schedstat(path, &snapshot->dut_thread_ns[i], &snapshot->dut_wait_ns[i]);
	}
	for (i = 0; i < traffic->running; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat",
			 traffic->generators[i].thread_id);
		read_schedstat(path, &snapshot->generator_run_ns[i],
			       &snapshot->generator_wait_ns[i]);
	}
}

static uint64_t backlog_of(const struct traffic_lane *lane, uint64_t now_ns, uint64_t gap_ps,
			   uint64_t burst_packets)
{
	uint64_t elapsed_ps = (now_ns - lane->start_ns) * 1000;

	if (!gap_ps || !lane->start_ns || elapsed_ps < lane->due_ps)
		return lane->credit;
	return lane->credit + ((elapsed_ps - lane->due_ps) / gap_ps + 1) * burst_packets;
}

/* What leaves by another way is lost, or arrives, as if it were the same. */
static int add_second_way(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	struct device_counters out, far;
	int error;

	if (!traffic->options.out_device)
		return 0;
	error = device_read(&traffic->out, &out);
	if (!error)
		error = device_read(&traffic->far, &far);
	if (error)
		return error;
	snapshot->dut.tx_errors += out.tx_errors;
	snapshot->sink.rx_packets += far.rx_packets;
	snapshot->sink.rx_drops += far.rx_drops;
	return 0;
}

int traffic_take_snapshot(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	const struct traffic_options *options = &traffic->options;
	const struct traffic_bpf *bpf = traffic->bpf;
	size_t i;
	int error;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->at_ns = runner_now_ns();
	for (i = 0; i < options->cores.count; i++) {
		uint64_t core = options->cores.values[i];
		const struct traffic_lane *lane = &bpf->bss->lanes[core];

		snapshot->backlog += backlog_of(lane, snapshot->at_ns, bpf->rodata->gap_ps,
						bpf->rodata->burst_packets);
		snapshot->idle_ns[core] = lane->idle_ns;
	}
	take_thread_times(traffic, snapshot);
	error = device_read(&traffic->sink_device, &snapshot->sink);
	if (!error && !options->dut_uncounted)
		error = device_read(&traffic->dut, &snapshot->dut);
	if (!error)
		error = add_second_way(traffic, snapshot);
	/* Last, as near to the change of phase as can be: what a flood loses at the ring in between
	 * would count as lost though it was not sent in the window. */
	return error ? error : device_read(&traffic->device, &snapshot->device);
}
