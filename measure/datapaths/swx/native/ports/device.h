/* SPDX-License-Identifier: Apache-2.0 */
/* A device of DPDK: brought up, and awaited. Each 0, or negative errno with the reason on stderr.
 */
#ifndef LINERATE_SWX_DEVICE_H
#define LINERATE_SWX_DEVICE_H

#include <rte_ethdev.h>

/* Configure one queue each way, and start; its number in *device. */
int swx_device_start(const char *name, struct rte_mempool *packets, uint16_t ring_packets,
		     uint16_t *device);
/* Devices find their other end some time after they are started. */
int swx_device_wait_for_link(uint16_t device, const char *name);

#endif
