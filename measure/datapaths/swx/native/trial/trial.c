// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_prefetch.h>

#include "common/runner.h"
#include "../ports/flows.h"
#include "../ports/frame.h"
#include "../schedstat.h"
#include "latency.h"
#include "trial.h"

#define DRAIN_SECONDS	    0.5	 /* at most; most often what is left comes at once */
#define DRAIN_QUIET_SECONDS 0.02 /* after which nothing more is expected */

/* Generator and sink, one thread: it sends what is due, then takes what is back. */
struct traffic {
	struct swx_bench *bench;
	const struct swx_load *load;
	struct swx_report *report;
	struct swx_schedule schedule;
	struct swx_headers headers[SWX_SIZES_MAX];
	unsigned int packet_bytes[SWX_SIZES_MAX];
	uint8_t lane_of_flow[SWX_FLOWS_MAX];
	unsigned int flow, step, size;
	uint32_t window;
	uint64_t start_cycles, back_cycles;
	uint64_t sent_in_all, back_in_all;
};

static void spread_flows(struct traffic *traffic)
{
	unsigned int flow;

	traffic->step = swx_flow_step(traffic->load->flows);
	for (flow = 0; flow < traffic->load->flows; flow++)
		traffic->lane_of_flow[flow] = swx_flow_lane(flow, traffic->bench->opened);
}

static void prepare(struct traffic *traffic)
{
	size_t i;

	for (i = 0; i < traffic->load->frame_bytes.count; i++) {
		traffic->packet_bytes[i] = traffic->load->frame_bytes.values[i] - SWX_FCS_BYTES;
		swx_headers_fill(&traffic->headers[i], traffic->packet_bytes[i]);
		memcpy(&traffic->headers[i].eth.dst_addr, traffic->load->destination_mac,
		       OPTION_MAC_BYTES);
	}
	spread_flows(traffic);
}

static struct rte_mbuf *make_packet(struct traffic *traffic, unsigned int lane, uint64_t now_cycles)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(traffic->bench->workers[lane].lane.packets);
	struct swx_marks *marks;

	if (!packet)
		return NULL;
	swx_frame_write(packet, &traffic->headers[traffic->size],
			traffic->packet_bytes[traffic->size], traffic->flow);
	marks = swx_frame_marks(packet);
	marks->magic = SWX_MAGIC;
	marks->window = traffic->window;
	marks->stamp_cycles = now_cycles;
	return packet;
}

/*
 * What did not fit into a lane is lost at the device's ring, as a network card loses it. A device
 * of ours has a ring of its own: what does not fit into that is not sent, and still due.
 */
static void send_lane(struct traffic *traffic, int lane, struct rte_mbuf **packets,
		      unsigned int count)
{
	unsigned int taken = swx_lane_send(&traffic->bench->workers[lane].lane, packets, count);
	int is_ours = swx_is_fed_from_outside(traffic->bench->options->port);

	traffic->sent_in_all += taken;
	if (traffic->window & 1) {
		traffic->report->sent += is_ours ? taken : count;
		traffic->report->ring_drops += is_ours ? 0 : count - taken;
	}
	if (is_ours && traffic->load->arrivals != SWX_FLOOD)
		traffic->schedule.due_packets += count - taken;
	if (taken < count)
		rte_pktmbuf_free_bulk(packets + taken, count - taken);
}

static unsigned int send_due(struct traffic *traffic, uint64_t now_cycles)
{
	struct rte_mbuf *packets[SWX_WORKERS_MAX][SWX_BURST_MAX];
	unsigned int counts[SWX_WORKERS_MAX] = {};
	uint64_t due = swx_schedule_due(&traffic->schedule, now_cycles - traffic->start_cycles);
	unsigned int burst = traffic->bench->options->burst_packets, made;
	int lane, lanes = traffic->bench->opened;

	for (made = 0; made < RTE_MIN(due, burst); made++) {
		lane = traffic->lane_of_flow[traffic->flow];
		packets[lane][counts[lane]] = make_packet(traffic, lane, now_cycles);
		if (!packets[lane][counts[lane]])
			break;
		counts[lane]++;
		traffic->flow += traffic->step;
		if (traffic->flow >= traffic->load->flows)
			traffic->flow -= traffic->load->flows;
		if (++traffic->size == traffic->load->frame_bytes.count)
			traffic->size = 0;
	}
	for (lane = 0; lane < lanes; lane++)
		if (counts[lane])
			send_lane(traffic, lane, packets[lane], counts[lane]);
	if (traffic->schedule.arrivals != SWX_FLOOD)
		traffic->schedule.due_packets -= made;
	return made;
}

static void note_packet(struct traffic *traffic, struct rte_mbuf *packet, uint64_t now_cycles)
{
	struct swx_report *report = traffic->report;
	const struct swx_marks *marks;
	uint64_t ns;

	if (rte_pktmbuf_data_len(packet) < sizeof(*marks)) {
		report->foreign++;
		return;
	}
	marks = swx_frame_marks(packet);
	if (marks->magic != SWX_MAGIC || marks->window >> 1 != traffic->window >> 1) {
		report->foreign++;
		return;
	}
	if (!(marks->window & 1))
		return;
	ns = (now_cycles - marks->stamp_cycles) * 1e9 / traffic->bench->cycles_per_second;
	report->received++;
	report->latency.sum_ns += ns;
	report->latency.max_ns = RTE_MAX(report->latency.max_ns, ns);
	report->latency.counts[swx_bucket(ns)]++;
}

static unsigned int receive_lane(struct traffic *traffic, int lane)
{
	struct rte_mbuf *packets[SWX_BURST_MAX];
	unsigned int i, count = swx_lane_receive(&traffic->bench->workers[lane].lane, packets,
						 SWX_BURST_MAX);
	uint64_t now_cycles;

	if (!count)
		return 0;
	now_cycles = rte_rdtsc();
	for (i = 0; i < count; i++)
		rte_prefetch0(rte_pktmbuf_mtod(packets[i], void *));
	for (i = 0; i < count; i++)
		note_packet(traffic, packets[i], now_cycles);
	rte_pktmbuf_free_bulk(packets, count);
	traffic->back_in_all += count;
	traffic->back_cycles = now_cycles;
	return count;
}

static unsigned int receive(struct traffic *traffic)
{
	unsigned int count = 0;
	int lane;

	for (lane = 0; lane < traffic->bench->opened; lane++)
		count += receive_lane(traffic, lane);
	return count;
}

static void exchange_until(struct traffic *traffic, double seconds)
{
	uint64_t end_cycles = traffic->start_cycles + seconds * traffic->bench->cycles_per_second;
	uint64_t now_cycles = rte_rdtsc(), before_cycles;
	unsigned int moved;

	while (now_cycles < end_cycles) {
		moved = send_due(traffic, now_cycles) + receive(traffic);
		before_cycles = now_cycles;
		now_cycles = rte_rdtsc();
		if (!moved)
			traffic->report->idle_cycles += now_cycles - before_cycles;
	}
}

/* What is on its way when the window ends still belongs to it. */
static void drain(struct traffic *traffic)
{
	double hz = traffic->bench->cycles_per_second;
	uint64_t begin_cycles = rte_rdtsc(), now_cycles = begin_cycles;

	traffic->back_cycles = begin_cycles;
	while (traffic->back_in_all < traffic->sent_in_all &&
	       now_cycles - begin_cycles < DRAIN_SECONDS * hz &&
	       now_cycles - RTE_MIN(now_cycles, traffic->back_cycles) < DRAIN_QUIET_SECONDS * hz) {
		receive(traffic);
		now_cycles = rte_rdtsc();
	}
}

static void exchange(struct traffic *traffic)
{
	struct swx_bench *bench = traffic->bench;
	struct swx_report *report = traffic->report;
	uint64_t run_ns, wait_begin_ns, wait_end_ns, begin_cycles;

	swx_schedule_begin(&traffic->schedule, traffic->load, bench->cycles_per_second);
	traffic->start_cycles = rte_rdtsc();
	traffic->window = bench->trials++ << 1;
	exchange_until(traffic, traffic->load->warm_up_seconds);
	report->idle_cycles = 0;
	swx_read_schedstat(bench->schedstat_fd, &run_ns, &wait_begin_ns);
	swx_bench_read(bench, report->begin);
	/* What the warm-up did not get to send is not owed in the window. */
	traffic->schedule.due_packets = 0;
	report->began_ns = runner_now_ns();
	begin_cycles = rte_rdtsc();
	traffic->window |= 1;
	exchange_until(traffic, traffic->load->warm_up_seconds + traffic->load->seconds);
	report->duration_cycles = rte_rdtsc() - begin_cycles;
	swx_bench_read(bench, report->end);
	swx_read_schedstat(bench->schedstat_fd, &run_ns, &wait_end_ns);
	report->generator_wait_ns = wait_end_ns - wait_begin_ns;
	report->intended = report->sent + traffic->schedule.due_packets;
	drain(traffic);
	swx_bench_read(bench, report->drained);
}

int swx_trial_run(struct swx_bench *bench, const struct swx_load *load, struct swx_report *report)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	int error;

	if (!traffic)
		return -ENOMEM;
	*report = (struct swx_report){};
	traffic->bench = bench;
	traffic->load = load;
	traffic->report = report;
	prepare(traffic);
	error = swx_bench_start(bench);
	if (!error)
		exchange(traffic);
	swx_bench_stop(bench);
	free(traffic);
	return error;
}
