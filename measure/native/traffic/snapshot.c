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
	char path[64];
	int i;

	for (i = 0; i < traffic->options.dut_threads_count; i++) {
		snprintf(path, sizeof(path), "/proc/%ld/schedstat",
			 traffic->options.dut_threads[i]);
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
			   uint64_t train_packets)
{
	uint64_t elapsed_ps = (now_ns - lane->start_ns) * 1000;

	if (!gap_ps || !lane->start_ns || elapsed_ps < lane->due_ps)
		return lane->credit;
	return lane->credit + ((elapsed_ps - lane->due_ps) / gap_ps + 1) * train_packets;
}

int traffic_take_snapshot(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	const struct traffic_options *options = &traffic->options;
	const struct traffic_bpf *bpf = traffic->bpf;
	int i, error;

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->at_ns = runner_now_ns();
	for (i = 0; i < options->cores_count; i++) {
		const struct traffic_lane *lane = &bpf->bss->lanes[options->cores[i]];

		snapshot->backlog += backlog_of(lane, snapshot->at_ns, bpf->rodata->gap_ps,
						bpf->rodata->train_packets);
		snapshot->idle_ns[options->cores[i]] = lane->idle_ns;
	}
	take_thread_times(traffic, snapshot);
	error = device_read(&traffic->sink_device, &snapshot->sink);
	if (!error && !options->dut_uncounted)
		error = device_read(&traffic->dut, &snapshot->dut);
	/* Last, as near to the change of phase as can be: what a flood loses at the ring in between
	 * would count as lost though it was not sent in the window. */
	return error ? error : device_read(&traffic->device, &snapshot->device);
}
