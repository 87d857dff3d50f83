// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>

#include "common/runner.h"
#include "card.h"
#include "device.h"
#include "frame.h"
#include "lane.h"

#define CACHE_PACKETS 256 /* as DPDK's own pipeline application */
#define POOL_PACKETS  4095
#define BUFFER_BYTES  2048

static const char *const drivers[] = {
	[SWX_NULL] = "null",
	[SWX_AF_XDP] = "af_xdp",
	[SWX_AF_PACKET] = "af_packet",
};

struct contents {
	struct swx_headers headers;
	unsigned int packet_bytes;
	unsigned int flows;
};

/* Packets of the null device hold what its pool's buffers do: there each is a whole packet. */
static void write_contents(struct rte_mempool *pool, void *context, void *object,
			   unsigned int number)
{
	const struct contents *contents = context;
	struct rte_mbuf *packet = object;

	(void)pool;
	rte_pktmbuf_reset_headroom(packet);
	memset(rte_pktmbuf_mtod(packet, void *), 0, contents->packet_bytes);
	swx_frame_write(packet, &contents->headers, contents->packet_bytes,
			number % contents->flows);
	packet->data_len = 0;
	packet->pkt_len = 0;
}

static int create_pool(struct swx_lane *lane, const struct swx_options *options, int number)
{
	struct contents contents = {
		.packet_bytes = options->null_frame_bytes - SWX_FCS_BYTES,
		.flows = options->flows,
	};
	unsigned int in_rings = 2 * options->ring_packets;
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "packets%d", number);
	lane->packets = rte_pktmbuf_pool_create(name, POOL_PACKETS + in_rings, CACHE_PACKETS, 0,
						RTE_PKTMBUF_HEADROOM + BUFFER_BYTES, SOCKET_ID_ANY);
	if (!lane->packets) {
		runner_complain("memory for packets (see --memory-mib)", -rte_errno);
		return -rte_errno;
	}
	swx_headers_fill(&contents.headers, contents.packet_bytes);
	rte_mempool_obj_iter(lane->packets, write_contents, &contents);
	return 0;
}

static struct rte_ring *create_ring(const char *format, const struct swx_options *options,
				    int number)
{
	char name[RTE_RING_NAMESIZE];
	struct rte_ring *ring;

	snprintf(name, sizeof(name), format, number);
	ring = rte_ring_create(name, options->ring_packets, SOCKET_ID_ANY,
			       RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (!ring)
		runner_complain("memory for rings (see --memory-mib)", -rte_errno);
	return ring;
}

static int open_memif(struct swx_lane *lane, const struct swx_options *options, int number)
{
	char generator[RTE_ETH_NAME_MAX_LEN];
	uint16_t device;
	int error;

	snprintf(generator, sizeof(generator), "net_memif%d", 2 * number);
	snprintf(lane->pipeline_device, sizeof(lane->pipeline_device), "net_memif%d",
		 2 * number + 1);
	error = swx_device_start(generator, lane->packets, options->ring_packets, &lane->device);
	if (!error)
		error = swx_device_start(lane->pipeline_device, lane->packets,
					 options->ring_packets, &device);
	return error ? error : swx_device_wait_for_link(device, lane->pipeline_device);
}

int swx_lane_open(struct swx_lane *lane, const struct swx_options *options, int number)
{
	int error = create_pool(lane, options, number);

	if (error)
		return error;
	switch (options->port) {
	case SWX_RING:
		lane->to_pipeline = create_ring("to%d", options, number);
		lane->from_pipeline = create_ring("from%d", options, number);
		return lane->to_pipeline && lane->from_pipeline ? 0 : -ENOMEM;
	case SWX_MEMIF:
		return open_memif(lane, options, number);
	case SWX_PCI:
		lane->queue = number;
		snprintf(lane->pipeline_device, sizeof(lane->pipeline_device), "%s",
			 options->device);
		return swx_card_open_queue(options, number, lane->packets, &lane->device);
	default:
		snprintf(lane->pipeline_device, sizeof(lane->pipeline_device), "net_%s%d",
			 drivers[options->port], number);
		return swx_device_start(lane->pipeline_device, lane->packets, options->ring_packets,
					&lane->device);
	}
}

int swx_lane_write_ports(const struct swx_lane *lane, int number, int burst_packets, FILE *ports)
{
	if (lane->to_pipeline)
		fprintf(ports,
			"port in 0 ring to%d bsz %d\n"
			"port out 0 ring from%d bsz %d\n",
			number, burst_packets, number, burst_packets);
	else
		fprintf(ports,
			"port in 0 ethdev %s rxq %d bsz %d\n"
			"port out 0 ethdev %s txq %d bsz %d\n",
			lane->pipeline_device, lane->queue, burst_packets, lane->pipeline_device,
			lane->queue, burst_packets);
	return fflush(ports) ? -errno : 0;
}
