// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/runner.h"
#include "run.h"

#define READY_NS      1000000000ull
#define READY_STEP_US 200

/* Time that a thread ran, that it was ready but another one had its core, and how often it ran. */
static void read_schedstat(const char *path, uint64_t *run_ns, uint64_t *wait_ns, uint64_t *turns)
{
	FILE *file = fopen(path, "re");

	*run_ns = *wait_ns = *turns = 0;
	if (!file)
		return;
	if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, run_ns, wait_ns, turns) != 3)
		*run_ns = *wait_ns = *turns = 0;
	fclose(file);
}

/*
 * Core that a thread runs on, or ran on last: the 39th word, behind a name that may hold spaces.
 * The third is its state.
 */
static int read_core(uint64_t thread, int *ready)
{
	char path[64], line[1024] = {}, *word;
	FILE *file;
	int i;

	*ready = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", thread);
	file = fopen(path, "re");
	if (!file)
		return -1;
	word = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	*ready = word && word[1] == ' ' && word[2] == 'R';
	for (i = 2; word && i < 39; i++)
		word = strchr(word + 1, ' ');
	return word ? atoi(word) : -1;
}

/* A thread's own clock goes on where the scheduler counts its time but at the next tick. */
static void read_clock(pthread_t thread, struct traffic_snapshot *snapshot, size_t i)
{
	struct timespec ran;
	clockid_t clock;

	snapshot->generator_at_ns[i] = runner_now_ns();
	if (!pthread_getcpuclockid(thread, &clock) && !clock_gettime(clock, &ran))
		snapshot->generator_run_ns[i] = (uint64_t)ran.tv_sec * 1000000000 + ran.tv_nsec;
}

/* Of each core the time that nobody wanted, and that of interrupts and softirqs. */
static void read_unused(struct traffic_snapshot *snapshot)
{
	uint64_t ns_per_tick = 1000000000ull / sysconf(_SC_CLK_TCK);
	uint64_t idle, disk, interrupts, softirqs;
	FILE *file = fopen("/proc/stat", "re");
	char line[1024];
	unsigned int core;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &core, &idle, &disk, &interrupts, &softirqs) == 5 &&
		    core < TRAFFIC_CORES_MAX) {
			snapshot->core_idle_ns[core] = (idle + disk) * ns_per_tick;
			snapshot->core_unused_ns[core] = snapshot->core_idle_ns[core] +
							 (interrupts + softirqs) * ns_per_tick;
		}
	if (file)
		fclose(file);
}

static void take_thread_times(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	const struct option_list *threads = &traffic->options.threads;
	uint64_t turns;
	char path[64];
	size_t i;

	for (i = 0; i < threads->count; i++) {
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/schedstat", threads->values[i]);
		read_schedstat(path, &snapshot->dut_thread_ns[i], &snapshot->dut_wait_ns[i],
			       &snapshot->dut_turns[i]);
		snapshot->dut_cores[i] = read_core(threads->values[i], &snapshot->dut_ready[i]);
	}
	if (threads->count)
		read_unused(snapshot);
	for (i = 0; i < traffic->running; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat",
			 traffic->generators[i].thread_id);
		read_schedstat(path, &snapshot->generator_run_ns[i],
			       &snapshot->generator_wait_ns[i], &turns);
		read_clock(traffic->generators[i].thread, snapshot, i);
	}
}

void traffic_await_ready(const struct traffic *traffic, struct traffic_snapshot *snapshot)
{
	const struct option_list *threads = &traffic->options.threads;
	uint64_t run_ns, wait_ns, turns, late_ns, begin_ns = runner_now_ns();
	char path[64];
	size_t i;

	for (i = 0; i < threads->count; i++) {
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/schedstat", threads->values[i]);
		while (snapshot->dut_ready[i] && runner_now_ns() - begin_ns < READY_NS) {
			read_schedstat(path, &run_ns, &wait_ns, &turns);
			late_ns = runner_now_ns() - snapshot->at_ns;
			if (run_ns == snapshot->dut_thread_ns[i] &&
			    wait_ns == snapshot->dut_wait_ns[i]) {
				usleep(READY_STEP_US);
				continue;
			}
			snapshot->dut_ready[i] = 0;
			if (wait_ns > snapshot->dut_wait_ns[i] + late_ns)
				snapshot->dut_wait_ns[i] = wait_ns - late_ns;
		}
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
