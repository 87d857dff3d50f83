/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What forwarding changes of a frame that comes again and again. */
#ifndef LINERATE_TRAFFIC_RENEW_H
#define LINERATE_TRAFFIC_RENEW_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#include "traffic.h"

const volatile __u32 renewed = 0; /* what forwarding changes is written anew */
const volatile __u32 link_addresses[TRAFFIC_LINK_WORDS] = {};

/* Routers put their addresses in, and take of the time to live; a frame comes again. */
static __always_inline void renew_headers(struct traffic_tcp_frame *frame, __u16 checksum)
{
	__u32 i, *words = (void *)&frame->eth;

	for (i = 0; i < TRAFFIC_LINK_WORDS; i++)
		words[i] = link_addresses[i];
	frame->ip.ttl = TRAFFIC_TTL;
	frame->ip.check = checksum;
}

#endif
