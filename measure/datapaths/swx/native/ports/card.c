// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>

#include "common/runner.h"
#include "card.h"
#include "device.h"

/* Of what the card can hash; flows then stay with one instance each. */
#define HASHED (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP)

static int configure(uint16_t device, const struct swx_options *options)
{
	struct rte_eth_conf conf = {};
	struct rte_eth_dev_info info;
	int queues = swx_workers(options), most;
	int error = rte_eth_dev_info_get(device, &info);

	if (error)
		return error;
	conf.rx_adv_conf.rss_conf.rss_hf = HASHED & info.flow_type_rss_offloads;
	most = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
	if (!conf.rx_adv_conf.rss_conf.rss_hf)
		most = RTE_MIN(most, 1);
	if (queues > most) {
		fprintf(stderr,
			"worker-cores=%d cores: %s spreads packets over %d queue(s); allowed: "
			"1..%d cores; name fewer\n",
			queues, options->device, most, most);
		return -EINVAL;
	}
	if (queues > 1)
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	return rte_eth_dev_configure(device, queues, queues, &conf);
}

static int set_up_queue(uint16_t device, const struct swx_options *options, int queue,
			struct rte_mempool *packets)
{
	uint16_t rx_packets = options->ring_packets, tx_packets = options->ring_packets;
	int node = rte_eth_dev_socket_id(device);
	int error = rte_eth_dev_adjust_nb_rx_tx_desc(device, &rx_packets, &tx_packets);

	if (!error)
		error = rte_eth_rx_queue_setup(device, queue, rx_packets, node, NULL, packets);
	if (!error)
		error = rte_eth_tx_queue_setup(device, queue, tx_packets, node, NULL);
	return error;
}

/* Whoever sends may not know the card's own address. */
static int start(uint16_t device, const char *name)
{
	int error = rte_eth_dev_start(device);

	if (!error)
		error = rte_eth_promiscuous_enable(device);
	return error && error != -ENOTSUP ? error : swx_device_wait_for_link(device, name);
}

int swx_card_open_queue(const struct swx_options *options, int queue, struct rte_mempool *packets,
			uint16_t *device)
{
	int error = rte_eth_dev_get_port_by_name(options->device, device);

	if (!error && !queue)
		error = configure(*device, options);
	if (!error)
		error = set_up_queue(*device, options, queue, packets);
	if (!error && queue == swx_workers(options) - 1)
		error = start(*device, options->device);
	if (error)
		runner_complain(options->device, error);
	return error;
}
