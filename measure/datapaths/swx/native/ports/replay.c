// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>

#include "common/frames.h"
#include "common/runner.h"
#include "replay.h"

struct replay {
	struct frames frames;
	unsigned int header_bytes;
	uint32_t next; /* place in the order */
	struct swx_replayed replayed;
};

static void write_frame(struct rte_mbuf *packet, const struct feed_frame *frame,
			unsigned int header_bytes)
{
	memcpy(rte_pktmbuf_mtod(packet, void *), frame->packet,
	       RTE_MIN(frame->packet_bytes, header_bytes));
	packet->data_len = frame->packet_bytes;
	packet->pkt_len = frame->packet_bytes;
}

static uint16_t write_frames(uint16_t device, uint16_t queue, struct rte_mbuf **packets,
			     uint16_t count, uint16_t most, void *context)
{
	struct replay *replay = context;
	const struct frames *frames = &replay->frames;
	uint64_t began_cycles;
	unsigned int i;

	(void)device;
	(void)queue;
	(void)most;
	/* Without a fence the clock is read before what came earlier is done: 3 ns a packet. */
	rte_rmb();
	began_cycles = rte_rdtsc();
	for (i = 0; i < count; i++) {
		write_frame(packets[i], &frames->all[frames->order[replay->next]],
			    replay->header_bytes);
		/* The order begins with each frame once, and what comes again is the mix. */
		if (++replay->next == frames->order_count)
			replay->next = frames->count;
	}
	rte_rmb();
	replay->replayed.cycles += rte_rdtsc() - began_cycles;
	return count;
}

static int read_frames(struct replay *replay, const struct swx_options *options)
{
	int error = frames_read(options->frames, &replay->frames);

	if (!error && replay->frames.order_count <= replay->frames.count)
		error = -ENODATA;
	if (error)
		runner_complain("--frames", error);
	return error;
}

int swx_replay_open(struct swx_lane *lane, const struct swx_options *options)
{
	struct replay *replay;
	uint16_t device;
	int error;

	if (!options->frames)
		return 0;
	replay = calloc(1, sizeof(*replay)); /* until the process ends, as the device */
	if (!replay)
		return -ENOMEM;
	replay->header_bytes = options->header_bytes;
	error = read_frames(replay, options);
	if (!error)
		error = rte_eth_dev_get_port_by_name(lane->pipeline_device, &device);
	if (!error && !rte_eth_add_rx_callback(device, 0, write_frames, replay))
		error = -rte_errno;
	if (error) {
		frames_free(&replay->frames);
		free(replay);
		return error;
	}
	replay->replayed.round_packets = replay->frames.order_count - replay->frames.count;
	lane->replayed = &replay->replayed;
	return 0;
}
