/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_DPDK_PASSING_H
#define LINERATE_DPDK_PASSING_H

/*
 * Attach an XDP program that passes every frame on: a veth takes what XDP sends at its other end
 * only where it has one itself. It goes with this process. 0, or negative errno with the reason
 * on stderr.
 */
int dpdk_attach_passing(const char *device);

#endif
