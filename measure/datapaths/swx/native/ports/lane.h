/* SPDX-License-Identifier: Apache-2.0 */
/* The way of packets to one pipeline instance and back. */
#ifndef LINERATE_SWX_LANE_H
#define LINERATE_SWX_LANE_H

#include <stdio.h>

#include <rte_ethdev.h>
#include <rte_ring.h>

#include "../options.h"

/* What an lcore does beside its pipeline, which it would not behind a card. */
struct swx_replayed {
	uint64_t round_packets; /* after so many the same come again */
	uint64_t cycles;	/* that it took, so far */
};

struct swx_lane {
	struct rte_mempool *packets;
	struct rte_ring *to_pipeline, *from_pipeline; /* NULL but for rings */
	uint16_t device; /* the generator's end of a memif; of other devices the only end */
	uint16_t queue;	 /* of the pipeline's device */
	char pipeline_device[RTE_ETH_NAME_MAX_LEN]; /* empty for rings */
	const struct swx_replayed *replayed;	    /* NULL where packets are not a user's frames */
};

/* 0, or negative errno with the reason on stderr. */
int swx_lane_open(struct swx_lane *lane, const struct swx_options *options, int number);
/* Say in DPDK's words where port 0 is. */
int swx_lane_write_ports(const struct swx_lane *lane, int number, int burst_packets, FILE *ports);

/* How many of the packets were taken, from the first. */
static inline unsigned int swx_lane_send(const struct swx_lane *lane, struct rte_mbuf **packets,
					 unsigned int count)
{
	if (lane->to_pipeline)
		return rte_ring_sp_enqueue_burst(lane->to_pipeline, (void **)packets, count, NULL);
	return rte_eth_tx_burst(lane->device, 0, packets, count);
}

static inline unsigned int swx_lane_receive(const struct swx_lane *lane, struct rte_mbuf **packets,
					    unsigned int count)
{
	if (lane->from_pipeline)
		return rte_ring_sc_dequeue_burst(lane->from_pipeline, (void **)packets, count,
						 NULL);
	return rte_eth_rx_burst(lane->device, 0, packets, count);
}

#endif
