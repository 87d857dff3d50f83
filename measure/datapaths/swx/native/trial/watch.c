// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_cycles.h>

#include "common/runner.h"
#include "watch.h"

static struct swx_report report;
static uint64_t missed_packets, at_cycles; /* at the last report */

static uint64_t read_card(uint16_t device)
{
	struct rte_eth_stats stats;

	return rte_eth_stats_get(device, &stats) ? 0 : stats.imissed + stats.rx_nombuf;
}

/* Packets that a descriptor's socket had no room or no frame for; 0 where it is none. */
static uint64_t read_socket(int fd)
{
	struct xdp_statistics counts = {};
	int domain, error;
	socklen_t bytes = sizeof(domain);

	error = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes);
	if (error || domain != AF_XDP)
		return 0;
	bytes = sizeof(counts);
	error = getsockopt(fd, SOL_XDP, XDP_STATISTICS, &counts, &bytes);
	return error ? 0 : counts.rx_dropped + counts.rx_ring_full;
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

void swx_watch_begin(const struct swx_bench *bench)
{
	uint64_t missed;

	memcpy(report.begin, report.end, sizeof(report.begin));
	swx_bench_read(bench, report.end);
	memcpy(report.drained, report.end, sizeof(report.drained));
	missed = bench->options->port == SWX_PCI ? read_card(bench->workers[0].lane.device)
						 : read_sockets();
	report.ring_drops = missed - missed_packets;
	report.duration_cycles = report.end[0].at_cycles - at_cycles;
	missed_packets = missed;
	at_cycles = report.end[0].at_cycles;
	swx_report_sum(bench, &report);
}

int swx_watch_print(const struct swx_bench *bench)
{
	if (!swx_is_fed_from_outside(bench->options->port)) {
		runner_complain("an empty line: needs --port af_xdp or pci", 0);
		return -EINVAL;
	}
	swx_watch_begin(bench);
	swx_print_report(bench, &report);
	return 0;
}
