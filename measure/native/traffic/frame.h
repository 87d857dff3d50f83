/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a load and when they are due, as the generator program wants them. */
#ifndef LINERATE_TRAFFIC_FRAME_H
#define LINERATE_TRAFFIC_FRAME_H

#include "options.h"

#define TRAFFIC_PACKET_BYTES_MAX 3500

struct traffic_bpf__rodata;

/* Write the largest frame of the mix, without FCS; its length in bytes. */
unsigned int traffic_build_frame(const struct traffic_options *options, char *packet);
/* Fill the read-only settings of the generator program. */
void traffic_set_schedule(const struct traffic_options *options, int ifindex,
			  struct traffic_bpf__rodata *rodata);

#endif
