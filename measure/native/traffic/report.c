// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "report.h"

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

static void print_differences(const char *name, const uint64_t *begin, const uint64_t *end,
			      size_t count)
{
	size_t i;

	printf(", \"%s\": [", name);
	for (i = 0; i < count; i++)
		printf("%s%" PRIu64, i ? ", " : "", end[i] - begin[i]);
	printf("]");
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
			  const struct traffic_sink *sinks)
{
	const struct traffic_snapshot *begin = &window->begin, *end = &window->end;
	uint64_t sent = sum_sent(options, lanes);
	uint64_t late = end->backlog > begin->backlog ? end->backlog - begin->backlog : 0;
	uint64_t idle_begin_ns[TRAFFIC_CORES_MAX], idle_end_ns[TRAFFIC_CORES_MAX];
	size_t i, cores = options->cores.count;

	for (i = 0; i < cores; i++) {
		idle_begin_ns[i] = begin->idle_ns[options->cores.values[i]];
		idle_end_ns[i] = end->idle_ns[options->cores.values[i]];
	}
	printf("{\"duration_ns\": %" PRIu64 ", \"intended\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"received\": %" PRIu64,
	       end->at_ns - begin->at_ns, sent + late, sent, sum_received(sinks));
	print_drops(options, window);
	print_differences("generator_idle_ns", idle_begin_ns, idle_end_ns, cores);
	print_differences("generator_run_ns", begin->generator_run_ns, end->generator_run_ns,
			  cores);
	print_differences("generator_wait_ns", begin->generator_wait_ns, end->generator_wait_ns,
			  cores);
	print_differences("dut_wait_ns", begin->dut_wait_ns, end->dut_wait_ns,
			  options->threads.count);
	print_differences("dut_thread_ns", begin->dut_thread_ns, end->dut_thread_ns,
			  options->threads.count);
	if (options->stamped)
		print_latency(sinks);
	printf("}\n");
}
