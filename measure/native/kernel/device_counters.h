/* SPDX-License-Identifier: Apache-2.0 */
/* A driver's counters, summed over its queues. */
#ifndef LINERATE_DEVICE_COUNTERS_H
#define LINERATE_DEVICE_COUNTERS_H

#include <net/if.h>
#include <stdint.h>

struct device {
	char name[IFNAMSIZ];
	int socket; /* lives in the network namespace of the device */
};

struct device_counters {
	uint64_t rx_packets;	/* frames that reached the device's poll */
	uint64_t rx_drops;	/* lost in the device's own receive path */
	uint64_t program_drops; /* XDP_DROP, and XDP_ABORTED */
	uint64_t program_sends; /* XDP_TX */
	uint64_t unsent;	/* of XDP_TX, among tx_errors: the peer's ring did not take them */
	uint64_t redirects;	/* XDP_REDIRECT, where it could be done */
	uint64_t tx_errors;	/* frames that the peer's ring did not take */
};

/* Open a device in the namespace at path (NULL: ours); 0 or -errno. */
int device_open(struct device *device, const char *netns_path, const char *name);
int device_read(const struct device *device, struct device_counters *counters);
/* Wait until a device's cable leads somewhere; 0, or -ENETDOWN after so many milliseconds. */
int device_await_link(const struct device *device, int milliseconds);
void device_close(struct device *device);

#endif
