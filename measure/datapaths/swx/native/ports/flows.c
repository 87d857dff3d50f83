// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_thash.h>

#include "common/runner.h"
#include "flows.h"
#include "frame.h"

#define GOLDEN_RATIO 0.6180339887498949

struct flows {
	struct swx_headers headers;
	unsigned int packet_bytes;
	unsigned int count, next;
	uint16_t numbers[SWX_FLOWS_MAX]; /* in their order */
};

static unsigned int common_divisor(unsigned int a, unsigned int b)
{
	return b ? common_divisor(b, a % b) : a;
}

unsigned int swx_flow_step(unsigned int flows)
{
	unsigned int step = flows * GOLDEN_RATIO;

	while (step > 1 && common_divisor(flows, step) != 1)
		step--;
	return RTE_MAX(step, 1U);
}

unsigned int swx_flow_lane(unsigned int flow, unsigned int lanes)
{
	static const uint8_t key[] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				       0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				       0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				       0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };
	uint32_t tuple[] = { SWX_SOURCE, SWX_DESTINATION + flow,
			     (SWX_PORT_FIRST + flow) << 16 | SWX_PORT_FIRST };

	return rte_softrss(tuple, RTE_DIM(tuple), key) % lanes;
}

static void number_flows(struct flows *flows, unsigned int all, int lane, int lanes)
{
	unsigned int step = swx_flow_step(all), flow = 0, sequence;

	for (sequence = 0; sequence < all; sequence++) {
		if (swx_flow_lane(flow, lanes) == (unsigned int)lane)
			flows->numbers[flows->count++] = flow;
		flow = (flow + step) % all;
	}
	/* A lane to which no flow falls would idle; a null port has no idle polls. */
	if (!flows->count)
		flows->numbers[flows->count++] = 0;
}

static uint16_t write_flows(uint16_t device, uint16_t queue, struct rte_mbuf **packets,
			    uint16_t count, uint16_t most, void *context)
{
	struct flows *flows = context;
	unsigned int i;

	(void)device;
	(void)queue;
	(void)most;
	for (i = 0; i < count; i++) {
		swx_frame_write(packets[i], &flows->headers, flows->packet_bytes,
				flows->numbers[flows->next]);
		if (++flows->next == flows->count)
			flows->next = 0;
	}
	return count;
}

int swx_flows_open(const struct swx_lane *lane, const struct swx_options *options, int number)
{
	struct flows *flows;
	uint16_t device;
	int error;

	if (options->port != SWX_NULL || options->flows <= 1)
		return 0;
	error = rte_eth_dev_get_port_by_name(lane->pipeline_device, &device);
	if (error)
		return error;
	flows = calloc(1, sizeof(*flows)); /* until the process ends, as the device */
	if (!flows)
		return -ENOMEM;
	flows->packet_bytes = options->null_frame_bytes - SWX_FCS_BYTES;
	swx_headers_fill(&flows->headers, flows->packet_bytes);
	number_flows(flows, options->flows, number, swx_workers(options));
	if (rte_eth_add_rx_callback(device, 0, write_flows, flows))
		return 0;
	free(flows);
	runner_complain("--flows", -rte_errno);
	return -rte_errno;
}
