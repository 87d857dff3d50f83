// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Generator and sink. The generator is run on live frames by BPF_PROG_TEST_RUN
 * and redirects each frame that is due into the lab; the sink counts what comes
 * back and takes the latency of stamped frames. Both count by the phase that the
 * frame carries, so frames of the warm-up never enter a measured count.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "traffic.h"
#include "traffic/latency.h"
#include "traffic/renew.h"
#include "traffic/replay.h"
#include "traffic/stretches.h"

const volatile __u32 out_ifindex = 0;
const volatile __u32 arrivals = TRAFFIC_FLOOD;
const volatile __u64 gap_ps = 0;	/* mean gap between bursts of one lane */
const volatile __u64 link_gap_ps = 0;	/* least gap between them; 0: no link limit */
const volatile __u64 link_slack_ps = 0; /* how much of a pause may be made up for */
const volatile __u32 burst_packets = 1;
const volatile __u32 flows = 1;
const volatile __u32 generators = 1; /* cores that share the flows out, as a card does to queues */
const volatile __u32 protocol = TRAFFIC_UDP;
const volatile __u32 payload_offset_bytes = 0; /* where the marks begin */
const volatile __u32 sources = 1;
const volatile __u32 pass_foreign = 0; /* to the stack: a ping runs beside the load */
const volatile __u32 stamped = 0;
const volatile __u32 sizes_count = 1; /* 1: every frame keeps its size */
const volatile struct traffic_size sizes[TRAFFIC_SIZES_MAX] = {};
const volatile __u32 gaps_q16[TRAFFIC_GAPS] = {};

volatile __u32 phase = TRAFFIC_WARM_UP;
struct traffic_lane lanes[TRAFFIC_CORES_MAX] = {};
struct traffic_sink sinks[TRAFFIC_CORES_MAX] = {};

/*
 * Read and written in words: after Ethernet's 14 bytes the headers leave the marks at a
 * multiple of four from where the kernel puts an IP header.
 */
typedef struct traffic_payload aligned_payload __attribute__((aligned(4)));

static __always_inline aligned_payload *payload_of(const struct xdp_md *ctx)
{
	return (void *)(long)ctx->data + payload_offset_bytes;
}

/* Whether a frame ends before its marks do; if not, all before them is there too. */
static __always_inline int is_short(const struct xdp_md *ctx, const aligned_payload *payload)
{
	return (void *)(payload + 1) > (void *)(long)ctx->data_end;
}

static __always_inline __u64 next_gap_ps(void)
{
	if (arrivals != TRAFFIC_POISSON)
		return gap_ps;
	return gap_ps * gaps_q16[bpf_get_prandom_u32() % TRAFFIC_GAPS] / TRAFFIC_GAP_ONE;
}

/*
 * Between two reads of the clock nothing else was done if they are close together; a
 * longer time between them is a batch on its way, or another task.
 */
static __always_inline void count_idle(struct traffic_lane *lane, __u64 now_ns)
{
	if (lane->polled_ns && now_ns - lane->polled_ns < TRAFFIC_POLL_NS_MAX)
		lane->idle_ns += now_ns - lane->polled_ns;
}

/*
 * While the device pauses, a link goes on and the device's ring takes what comes:
 * so much may be made up for, and what is beyond is lost for good. Nothing is made
 * up for in the measured phase that the warm-up missed.
 */
static __always_inline void hold_to_link(struct traffic_lane *lane, __u64 now_ps, __u32 now_phase)
{
	__u64 slack_ps = lane->phase == now_phase ? link_slack_ps : 0;

	if (lane->free_ps + slack_ps < now_ps)
		lane->free_ps = now_ps - slack_ps;
	lane->free_ps += link_gap_ps;
	lane->phase = now_phase;
}

/*
 * Open loop: a burst that is late is sent as soon as the link is free and the
 * schedule goes on as planned, so the backlog shows what the generator could not
 * send in time. No pause is caught up faster than the link allows.
 */
static __always_inline int is_due(struct traffic_lane *lane, __u32 now_phase)
{
	__u64 now_ns, now_ps;

	if (lane->credit) {
		lane->credit--;
		return 1;
	}
	now_ns = bpf_ktime_get_ns();
	if (!lane->start_ns)
		lane->start_ns = now_ns;
	now_ps = (now_ns - lane->start_ns) * 1000;
	if (now_ps < lane->due_ps || now_ps < lane->free_ps) {
		count_idle(lane, now_ns);
		lane->polled_ns = now_ns;
		return 0;
	}
	count_idle(lane, now_ns);
	lane->polled_ns = 0;
	lane->due_ps += next_gap_ps();
	hold_to_link(lane, now_ps, now_phase);
	lane->credit = burst_packets - 1;
	return 1;
}

static __always_inline __u64 slot_of(__u64 sequence)
{
	/* The mask changes nothing; it shows the verifier the bound. */
	return sizes_count > 1 ? sequence % sizes_count & (TRAFFIC_SIZES_MAX - 1) : 0;
}

static __always_inline __u32 flow_of(__u64 sequence)
{
	return (sequence * generators + bpf_get_smp_processor_id()) % flows;
}

static __always_inline int resize(struct xdp_md *ctx, __u64 sequence)
{
	__u64 slot = slot_of(sequence);
	struct traffic_udp_frame *frame;
	long excess;

	excess = (long)(ctx->data_end - ctx->data) - sizes[slot].packet_bytes;
	if (excess > 0 && bpf_xdp_adjust_tail(ctx, -excess))
		return -1;
	frame = (void *)(long)ctx->data;
	if ((void *)(frame + 1) > (void *)(long)ctx->data_end)
		return -1;
	frame->ip.tot_len = sizes[slot].ip_bytes;
	frame->ip.check = sizes[slot].ip_checksum;
	if (protocol == TRAFFIC_UDP)
		frame->udp.len = sizes[slot].udp_bytes;
	return 0;
}

/* The sum of a value's 16-bit words, as the Internet checksum adds them (RFC 1071). */
static __always_inline __u32 words_of(__u64 value)
{
	return (value & 0xffff) + (value >> 16 & 0xffff) + (value >> 32 & 0xffff) + (value >> 48);
}

/* The checksum of the one given and words that came to it, or went as complements (RFC 1624). */
static __always_inline __u16 checksum_with(__u16 checksum, __u32 words)
{
	__u32 sum = (__u16)~checksum + words;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static __always_inline void draw_source(struct traffic_tcp_frame *frame, __u16 checksum)
{
	__u16 first = bpf_htons(TRAFFIC_HOST_FIRST);
	__u32 host = TRAFFIC_HOST_FIRST + bpf_get_prandom_u32() % sources;

	frame->ip.saddr = bpf_htonl(TRAFFIC_SOURCE_NET | host);
	frame->ip.check = checksum_with(checksum, (__u16)~first + bpf_htons(host));
}

static __always_inline __u16 tcp_checksum(const struct traffic_tcp_frame *frame, __u16 checksum)
{
	return checksum_with(checksum, words_of(frame->ip.saddr) + frame->tcp.source +
					       words_of(frame->payload.phase) +
					       words_of(frame->payload.stamp_ns));
}

static __always_inline int mark_frame(struct xdp_md *ctx, struct traffic_lane *lane,
				      __u32 now_phase)
{
	aligned_payload *payload;
	struct traffic_tcp_frame *frame;

	if (sizes_count > 1 && resize(ctx, lane->sequence))
		return -1;
	payload = payload_of(ctx);
	if (is_short(ctx, payload))
		return -1;
	frame = (void *)(long)ctx->data;
	if (renewed)
		renew_headers(frame, sizes[slot_of(lane->sequence)].ip_checksum);
	if (flows > 1)
		frame->tcp.source = bpf_htons(TRAFFIC_PORT_FIRST + flow_of(lane->sequence));
	if (sources > 1)
		draw_source(frame, sizes[slot_of(lane->sequence)].ip_checksum);
	payload->phase = now_phase;
	if (stamped)
		payload->stamp_ns = bpf_ktime_get_ns();
	if (protocol == TRAFFIC_TCP)
		frame->tcp.check = tcp_checksum(frame, sizes[slot_of(lane->sequence)].tcp_checksum);
	return 0;
}

static __always_inline int generate_frame(struct xdp_md *ctx)
{
	__u32 core = bpf_get_smp_processor_id();
	__u32 now_phase = phase;
	struct traffic_lane *lane;

	if (core >= TRAFFIC_CORES_MAX)
		return XDP_DROP;
	lane = &lanes[core];
	if (now_phase >= TRAFFIC_PHASES) {
		lane->running = 1;
		return XDP_DROP;
	}
	if (arrivals != TRAFFIC_FLOOD && !is_due(lane, now_phase))
		return XDP_DROP;
	if (replayed ? replay(ctx, lane) : mark_frame(ctx, lane, now_phase))
		return XDP_ABORTED;
	lane->sequence++;
	lane->sent[now_phase]++;
	if (stretch_step)
		time_stretch(lane, core, now_phase);
	return bpf_redirect(out_ifindex, 0);
}

static __always_inline int sink_frame(struct xdp_md *ctx)
{
	aligned_payload *payload = payload_of(ctx);
	__u32 core = bpf_get_smp_processor_id();
	struct traffic_sink *mine;
	__u32 frame_phase;

	if (core >= TRAFFIC_CORES_MAX)
		return XDP_DROP;
	mine = &sinks[core];
	if (replayed) { /* the user's frames carry no phase: it is the one that is on, or was */
		frame_phase = phase;
		if (frame_phase >= TRAFFIC_PHASES)
			frame_phase = TRAFFIC_MEASURED;
		mine->received[frame_phase]++;
		return XDP_DROP;
	}
	if (is_short(ctx, payload) || payload->magic != TRAFFIC_MAGIC) {
		mine->foreign++;
		return pass_foreign ? XDP_PASS : XDP_DROP;
	}
	frame_phase = payload->phase;
	if (frame_phase >= TRAFFIC_PHASES)
		return XDP_DROP;
	mine->received[frame_phase]++;
	if (stamped && frame_phase == TRAFFIC_MEASURED)
		add_latency(mine, bpf_ktime_get_ns() - payload->stamp_ns);
	return XDP_DROP;
}

SEC("xdp")
int generate(struct xdp_md *ctx)
{
	return generate_frame(ctx);
}

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	return sink_frame(ctx);
}

/*
 * For packets that come back as skbs: an XDP sink would copy each whose headroom the device under
 * test has used.
 */
SEC("?tc")
int sink_skb(struct __sk_buff *skb)
{
	__u32 core = bpf_get_smp_processor_id(), now_phase = phase;

	if (now_phase >= TRAFFIC_PHASES)
		now_phase = TRAFFIC_MEASURED;
	if (core < TRAFFIC_CORES_MAX)
		sinks[core].received[now_phase]++;
	return TC_ACT_SHOT;
}

/*
 * Both, for test runs of a few hundred frames each: the kernel waits for all its
 * readers whenever it meets a program that is attached nowhere, some 10 ms a run.
 * A frame of a test run says that it came by the loopback device.
 */
SEC("?xdp")
int generate_or_sink(struct xdp_md *ctx)
{
	return ctx->ingress_ifindex == TRAFFIC_LOOPBACK ? generate_frame(ctx) : sink_frame(ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
