// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <unistd.h>

#include "common/runner.h"
#include "device.h"

#define LINK_UP_TRIES	1000
#define LINK_UP_WAIT_US 10000

int swx_device_start(const char *name, struct rte_mempool *packets, uint16_t ring_packets,
		     uint16_t *device)
{
	const struct rte_eth_conf conf = {};
	int error = rte_eth_dev_get_port_by_name(name, device);

	if (!error)
		error = rte_eth_dev_configure(*device, 1, 1, &conf);
	if (!error)
		error = rte_eth_rx_queue_setup(*device, 0, ring_packets, SOCKET_ID_ANY, NULL,
					       packets);
	if (!error)
		error = rte_eth_tx_queue_setup(*device, 0, ring_packets, SOCKET_ID_ANY, NULL);
	if (!error)
		error = rte_eth_dev_start(*device);
	if (error)
		runner_complain(name, error);
	return error;
}

int swx_device_wait_for_link(uint16_t device, const char *name)
{
	struct rte_eth_link link;
	int tries;

	for (tries = 0; tries < LINK_UP_TRIES; tries++) {
		if (!rte_eth_link_get_nowait(device, &link) && link.link_status)
			return 0;
		usleep(LINK_UP_WAIT_US);
	}
	runner_complain(name, -ETIMEDOUT);
	return -ETIMEDOUT;
}
