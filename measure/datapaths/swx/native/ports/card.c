// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>

#include "common/runner.h"
#include "card.h"

/* Of what the card can hash; flows then stay with one instance each. */
#define HASHED (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP)

static int configure(uint16_t device, const struct swx_options *options)
{
	struct rte_eth_conf conf = {};
	struct rte_eth_dev_info info;
	int queues = options->workers, most;
	int error = rte_eth_dev_info_get(device, &info);

	if (error)
		return error;
	conf.rx_adv_conf.rss_conf.rss_hf = HASHED & info.flow_type_rss_offloads;
	most = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
	if (!conf.rx_adv_conf.rss_conf.rss_hf)
		most = RTE_MIN(most, 1);
	if (queues > most) {
		fprintf(stderr,
			"lcores=%d: %s spreads packets over %d queue(s); run no more lcores\n",
			queues, options->device, most);
		return -EINVAL;
	}
	if (queues > 1)
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	return rte_eth_dev_configure(device, queues, queues, &conf);
}

static int set_up_queue(const struct swx_lane *lane, const struct swx_options *options)
{
	uint16_t rx_packets = options->ring_packets, tx_packets = options->ring_packets;
	int node = rte_eth_dev_socket_id(lane->device);
	int error = rte_eth_dev_adjust_nb_rx_tx_desc(lane->device, &rx_packets, &tx_packets);

	if (!error)
		error = rte_eth_rx_queue_setup(lane->device, lane->queue, rx_packets, node, NULL,
					       lane->packets);
	if (!error)
		error = rte_eth_tx_queue_setup(lane->device, lane->queue, tx_packets, node, NULL);
	return error;
}

/* Whoever sends may not know the card's own address. */
static int start(uint16_t device, const char *name)
{
	int error = rte_eth_dev_start(device);

	if (!error)
		error = rte_eth_promiscuous_enable(device);
	return error && error != -ENOTSUP ? error : swx_lane_wait_for_link(device, name);
}

int swx_card_open_queue(struct swx_lane *lane, const struct swx_options *options, int number)
{
	int error = rte_eth_dev_get_port_by_name(options->device, &lane->device);

	lane->queue = number;
	snprintf(lane->pipeline_device, sizeof(lane->pipeline_device), "%s", options->device);
	if (!error && !number)
		error = configure(lane->device, options);
	if (!error)
		error = set_up_queue(lane, options);
	if (!error && number == options->workers - 1)
		error = start(lane->device, options->device);
	if (error)
		runner_complain(options->device, error);
	return error;
}
