// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "common/stretches.h"
#include "report.h"

/* The kernel counts idle time by ticks of 10 ms, at both ends, and a thread's run by its own. */
#define UNCERTAIN_NS 20000000
/*
 * What it takes a core to leave its idle loop for a thread: the interrupt between processors and
 * the switch are charged to nobody. 0.6 to 2.1 us in the mean of 2 s were seen
 * (docs/reliability.md).
 */
#define WAKE_UP_NS 3000
/* On a busy machine a timer is as late; what is counted is counted in the longer window. */
#define LATE_NS 20000000

static uint64_t bucket_lower_ns(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * TRAFFIC_SUB)
		return bucket;
	shift = bucket / TRAFFIC_SUB - 1;
	return (uint64_t)(TRAFFIC_SUB + bucket % TRAFFIC_SUB) << shift;
}

static uint64_t sum_sent(const struct traffic_options *options, const struct traffic_lane *lanes)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < options->cores.count; i++)
		sum += lanes[options->cores.values[i]].sent[TRAFFIC_MEASURED];
	return sum;
}

static uint64_t sum_received(const struct traffic_sink *sinks)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < TRAFFIC_CORES_MAX; i++)
		sum += sinks[i].received[TRAFFIC_MEASURED];
	return sum;
}

/* A thread that ended in the window is read as no time at all: it grew by nothing. */
static uint64_t grown(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

static void print_differences(const char *name, const uint64_t *begin, const uint64_t *end,
			      size_t count)
{
	size_t i;

	printf(", \"%s\": [", name);
	for (i = 0; i < count; i++)
		printf("%s%" PRIu64, i ? ", " : "", grown(begin[i], end[i]));
	printf("]");
}

/* A generator always wants its core, and waits where it does not run, unless it waits for frames.
 */
static uint64_t generator_wait_ns(const struct traffic_options *options,
				  const struct traffic_window *window, size_t i)
{
	const struct traffic_snapshot *begin = &window->begin, *end = &window->end;
	uint64_t lasted_ns = end->generator_at_ns[i] - begin->generator_at_ns[i];

	if (options->window_packets)
		return end->generator_wait_ns[i] - begin->generator_wait_ns[i];
	return grown(end->generator_run_ns[i] - begin->generator_run_ns[i], lasted_ns);
}

/* Time of a core of the device that its threads and the generator's did not have, nor anybody. */
static uint64_t taken_of_core_ns(const struct traffic_options *options,
				 const struct traffic_window *window, int core)
{
	const struct traffic_snapshot *begin = &window->begin, *end = &window->end;
	uint64_t known_ns = end->core_unused_ns[core] - begin->core_unused_ns[core] + UNCERTAIN_NS;
	uint64_t lasted_ns = end->at_ns - begin->at_ns, wake_ups = 0, turns;
	size_t i;

	for (i = 0; i < options->threads.count; i++) {
		if (end->dut_cores[i] != core)
			continue;
		known_ns += grown(begin->dut_thread_ns[i], end->dut_thread_ns[i]);
		turns = grown(begin->dut_turns[i], end->dut_turns[i]);
		if (turns > wake_ups) /* of threads that take turns, one follows on the other */
			wake_ups = turns;
	}
	known_ns += wake_ups * WAKE_UP_NS;
	for (i = 0; i < options->cores.count; i++)
		if (options->cores.values[i] == (uint64_t)core)
			known_ns += end->generator_run_ns[i] - begin->generator_run_ns[i];
	return lasted_ns > known_ns ? lasted_ns - known_ns : 0;
}

static uint64_t taken_ns(const struct traffic_options *options, const struct traffic_window *window)
{
	uint64_t most_ns = 0, of_core_ns;
	size_t i;

	for (i = 0; i < options->threads.count; i++) {
		int core = window->end.dut_cores[i];

		if (core < 0 || core >= TRAFFIC_CORES_MAX || core != window->begin.dut_cores[i])
			continue;
		of_core_ns = taken_of_core_ns(options, window, core);
		if (of_core_ns > most_ns)
			most_ns = of_core_ns;
	}
	return most_ns;
}

/* What else tells that others held a core of the lab: a window that was ended late is longer. */
static void print_held_up(const struct traffic_options *options,
			  const struct traffic_window *window)
{
	uint64_t lasted_ns = window->end.at_ns - window->begin.at_ns;
	uint64_t asked_ns = options->seconds * 1e9;
	uint64_t late_ns = lasted_ns > asked_ns ? lasted_ns - asked_ns : 0;
	size_t i;

	printf(", \"generator_wait_ns\": [");
	for (i = 0; i < options->cores.count; i++)
		printf("%s%" PRIu64, i ? ", " : "", generator_wait_ns(options, window, i));
	printf("], \"late_ns\": %" PRIu64 ", \"dut_taken_ns\": %" PRIu64,
	       late_ns > LATE_NS ? late_ns : 0, taken_ns(options, window));
}

static void print_latency(const struct traffic_sink *sinks)
{
	uint64_t sum_ns = 0, max_ns = 0, count;
	const char *comma = "";
	int i, bucket;

	for (i = 0; i < TRAFFIC_CORES_MAX; i++) {
		sum_ns += sinks[i].latency_sum_ns;
		if (sinks[i].latency_max_ns > max_ns)
			max_ns = sinks[i].latency_max_ns;
	}
	printf(", \"latency\": {\"sum_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"buckets\": [",
	       sum_ns, max_ns);
	for (bucket = 0; bucket < TRAFFIC_BUCKETS; bucket++) {
		for (i = 0, count = 0; i < TRAFFIC_CORES_MAX; i++)
			count += sinks[i].latency_count[bucket];
		if (count) {
			printf("%s[%" PRIu64 ", %" PRIu64 "]", comma, bucket_lower_ns(bucket),
			       count);
			comma = ", ";
		}
	}
	printf("]}");
}

/* Of each core: what a packet took, in stretches of which the last are kept. */
static void print_stretches(const struct traffic_options *options, const struct traffic_lane *lanes,
			    const uint32_t (*stretches_ns)[TRAFFIC_STRETCHES])
{
	static double packet_ns[TRAFFIC_STRETCHES];
	size_t core, i, kept, stretch;

	printf(", \"stretches_ns\": [");
	for (i = 0; i < options->cores.count; i++) {
		core = options->cores.values[i];
		kept = lanes[core].stretches;
		if (kept > TRAFFIC_STRETCHES)
			kept = TRAFFIC_STRETCHES;
		for (stretch = 0; stretch < kept; stretch++)
			packet_ns[stretch] =
				(double)stretches_ns[core][stretch] / TRAFFIC_STRETCH_OF;
		fputs(i ? ", " : "", stdout);
		stretches_print(packet_ns, kept);
	}
	printf("]");
}

static void print_drops(const struct traffic_options *options, const struct traffic_window *window)
{
	const struct traffic_snapshot *begin = &window->begin, *end = &window->drained;
	uint64_t sink_ring = end->sink.rx_drops - begin->sink.rx_drops;

	if (options->dut_uncounted) {
		printf(", \"dropped\": {\"dut_ring\": %" PRIu64 ", \"sink_ring\": %" PRIu64 "}",
		       end->device.tx_errors - begin->device.tx_errors, sink_ring);
		return;
	}
	printf(", \"dut_rx_packets\": %" PRIu64 ", \"dropped\": {\"dut_ring\": %" PRIu64
	       ", \"dut_program\": %" PRIu64 ", \"dut_tx\": %" PRIu64 ", \"sink_ring\": %" PRIu64
	       "}",
	       window->end.dut.rx_packets - begin->dut.rx_packets,
	       end->device.tx_errors - begin->device.tx_errors + end->dut.rx_drops -
		       begin->dut.rx_drops,
	       end->dut.program_drops - begin->dut.program_drops,
	       end->dut.tx_errors - begin->dut.tx_errors, sink_ring);
}

void traffic_print_report(const struct traffic_options *options,
			  const struct traffic_window *window, const struct traffic_lane *lanes,
			  const uint32_t (*stretches_ns)[TRAFFIC_STRETCHES],
			  const struct traffic_sink *sinks)
{
	const struct traffic_snapshot *begin = &window->begin, *end = &window->end;
	uint64_t sent = sum_sent(options, lanes);
	uint64_t late = end->backlog > begin->backlog ? end->backlog - begin->backlog : 0;
	uint64_t idle_begin_ns[TRAFFIC_CORES_MAX], idle_end_ns[TRAFFIC_CORES_MAX];
	uint64_t core_begin_ns[TRAFFIC_CORES_MAX], core_end_ns[TRAFFIC_CORES_MAX];
	size_t i, cores = options->cores.count;

	for (i = 0; i < cores; i++) {
		idle_begin_ns[i] = begin->idle_ns[options->cores.values[i]];
		idle_end_ns[i] = end->idle_ns[options->cores.values[i]];
		core_begin_ns[i] = begin->core_idle_ns[options->cores.values[i]];
		core_end_ns[i] = end->core_idle_ns[options->cores.values[i]];
	}
	printf("{\"began_ns\": %" PRIu64 ", \"duration_ns\": %" PRIu64 ", \"intended\": %" PRIu64
	       ", \"sent\": %" PRIu64 ", \"received\": %" PRIu64,
	       begin->at_ns, end->at_ns - begin->at_ns, sent + late, sent, sum_received(sinks));
	print_drops(options, window);
	print_differences("generator_idle_ns", idle_begin_ns, idle_end_ns, cores);
	if (options->threads.count)
		print_differences("core_idle_ns", core_begin_ns, core_end_ns, cores);
	print_differences("generator_run_ns", begin->generator_run_ns, end->generator_run_ns,
			  cores);
	print_held_up(options, window);
	print_differences("dut_wait_ns", begin->dut_wait_ns, end->dut_wait_ns,
			  options->threads.count);
	print_differences("dut_thread_ns", begin->dut_thread_ns, end->dut_thread_ns,
			  options->threads.count);
	if (options->timed)
		print_stretches(options, lanes, stretches_ns);
	if (options->stamped)
		print_latency(sinks);
	printf("}\n");
}
