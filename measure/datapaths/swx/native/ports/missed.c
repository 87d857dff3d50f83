// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <rte_ethdev.h>

#include "missed.h"

static uint64_t read_card(uint16_t device)
{
	struct rte_eth_stats stats;

	return rte_eth_stats_get(device, &stats) ? 0 : stats.imissed + stats.rx_nombuf;
}

/* The kernel counts anew from each look. */
static uint64_t read_packet_socket(int fd)
{
	static uint64_t drops;
	struct tpacket_stats counts = {};
	socklen_t bytes = sizeof(counts);

	if (!getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &counts, &bytes))
		drops += counts.tp_drops;
	return drops;
}

static uint64_t read_xdp_socket(int fd)
{
	struct xdp_statistics counts = {};
	socklen_t bytes = sizeof(counts);
	int error = getsockopt(fd, SOL_XDP, XDP_STATISTICS, &counts, &bytes);

	return error ? 0 : counts.rx_dropped + counts.rx_ring_full;
}

/* Packets that a descriptor's socket had no room or no frame for; 0 where it is none. */
static uint64_t read_socket(int fd)
{
	socklen_t bytes = sizeof(int);
	int domain;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes))
		return 0;
	if (domain == AF_XDP)
		return read_xdp_socket(fd);
	return domain == AF_PACKET ? read_packet_socket(fd) : 0;
}

/* DPDK keeps its sockets to itself, and of what they lose it counts a part. */
static uint64_t read_sockets(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	uint64_t missed = 0;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			missed += read_socket(atoi(entry->d_name));
	if (folder)
		closedir(folder);
	return missed;
}

uint64_t swx_missed(enum swx_port port, uint16_t device)
{
	return port == SWX_PCI ? read_card(device) : read_sockets();
}
