// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "device_counters.h"

#define LINK_STEP_MS 10

static int open_socket(void)
{
	int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return made < 0 ? -errno : made;
}

static int socket_in(const char *netns_path)
{
	int here, there = -1, made;

	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	made = here < 0 ? -errno : 0;
	if (made)
		goto out;
	there = open(netns_path, O_RDONLY | O_CLOEXEC);
	made = there < 0 || setns(there, CLONE_NEWNET) ? -errno : 0;
	if (made)
		goto out;
	/* A socket stays in the namespace that it was made in. */
	made = open_socket();
	if (setns(here, CLONE_NEWNET))
		abort(); /* in the wrong namespace nothing after this can be right */
out:
	if (there >= 0)
		close(there);
	if (here >= 0)
		close(here);
	return made;
}

int device_open(struct device *device, const char *netns_path, const char *name)
{
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->socket = netns_path ? socket_in(netns_path) : open_socket();
	return device->socket < 0 ? device->socket : 0;
}

void device_close(struct device *device)
{
	if (device->socket >= 0)
		close(device->socket);
	device->socket = -1;
}

static int ask(const struct device *device, void *request)
{
	struct ifreq ifreq = { .ifr_data = request };

	memcpy(ifreq.ifr_name, device->name, IFNAMSIZ);
	return ioctl(device->socket, SIOCETHTOOL, &ifreq) ? -errno : 0;
}

int device_await_link(const struct device *device, int milliseconds)
{
	struct ethtool_value link = { .cmd = ETHTOOL_GLINK };
	int error;

	while (!(error = ask(device, &link)) && !link.data && milliseconds > 0) {
		usleep(LINK_STEP_MS * 1000);
		milliseconds -= LINK_STEP_MS;
		link.cmd = ETHTOOL_GLINK;
	}
	return error ? error : link.data ? 0 : -ENETDOWN;
}

static int count_statistics(const struct device *device, __u32 *count)
{
	struct {
		struct ethtool_sset_info info;
		__u32 count;
	} request = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };
	int error = ask(device, &request);

	*count = request.info.sset_mask ? request.count : 0;
	return error;
}

static int ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length >= tail && !strcmp(name + length - tail, suffix);
}

static void add(struct device_counters *counters, const char *name, uint64_t value)
{
	if (ends_with(name, "_xdp_packets"))
		counters->rx_packets += value;
	else if (ends_with(name, "_xdp_drops"))
		counters->program_drops += value;
	else if (ends_with(name, "_xdp_tx"))
		counters->program_sends += value;
	else if (ends_with(name, "_xdp_redirect"))
		counters->redirects += value;
	else if (ends_with(name, "_drops"))
		counters->rx_drops += value;
	else if (ends_with(name, "_xdp_tx_errors"))
		counters->unsent += value;
	else if (ends_with(name, "_xdp_xmit_errors"))
		counters->tx_errors += value;
}

int device_read(const struct device *device, struct device_counters *counters)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *values = NULL;
	__u32 count, i;
	int error;

	memset(counters, 0, sizeof(*counters));
	error = count_statistics(device, &count);
	if (error)
		return error;
	names = calloc(1, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + (size_t)count * sizeof(__u64));
	error = names && values ? 0 : -ENOMEM;
	if (error)
		goto out;
	*names = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS,
		.string_set = ETH_SS_STATS,
		.len = count,
	};
	values->cmd = ETHTOOL_GSTATS;
	values->n_stats = count;
	error = ask(device, names);
	if (!error)
		error = ask(device, values);
	for (i = 0; !error && i < count; i++)
		add(counters, (const char *)names->data + i * ETH_GSTRING_LEN, values->data[i]);
	counters->tx_errors += counters->unsent;
out:
	free(names);
	free(values);
	return error;
}
