/* SPDX-License-Identifier: Apache-2.0 */
/* The order of flows, the lane of each, and generated packets that are theirs.
 */
#ifndef LINERATE_SWX_FLOWS_H
#define LINERATE_SWX_FLOWS_H

#include "lane.h"

/*
 * From one flow to the next: every flow comes once a round, and no two that follow each other are
 * neighbours, so that no prefetcher knows which memory of a program comes next.
 */
unsigned int swx_flow_step(unsigned int flows);
/* Flows are spread as a network card does it (RSS): by a hash of addresses and ports. */
unsigned int swx_flow_lane(unsigned int flow, unsigned int lanes);

/*
 * The null device's pool gives the same few buffers out again and again. Where there are flows,
 * each packet of it gets headers of the next flow of this lane. 0, or negative errno with the
 * reason on stderr.
 */
int swx_flows_open(const struct swx_lane *lane, const struct swx_options *options, int number);

#endif
