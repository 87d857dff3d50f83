/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the filters share with their runner. */
#ifndef LINERATE_FILTER_SETTINGS_H
#define LINERATE_FILTER_SETTINGS_H

#include <linux/types.h>

enum filter_program {
	FILTER_DROP_ALL,		/* all that comes to the hook */
	FILTER_DROP_TCP_SUBNET,		/* TCP to the subnet */
	FILTER_DROP_UDP_SUBNET,		/* UDP to the subnet */
	FILTER_DROP_TCP_SUBNET_FLAGS,	/* TCP to it, with SYN and RST both set */
	FILTER_DROP_TCP_SUBNET_PAYLOAD, /* TCP to it, second byte of payload 'X' */
	FILTER_PROGRAMS,
};

/* Every place that takes a filter by name reads this list. */
#define FILTER_NAMES                                                                          \
	{                                                                                     \
		[FILTER_DROP_ALL] = "drop_all", [FILTER_DROP_TCP_SUBNET] = "drop_tcp_subnet", \
		[FILTER_DROP_UDP_SUBNET] = "drop_udp_subnet",                                 \
		[FILTER_DROP_TCP_SUBNET_FLAGS] = "drop_tcp_subnet_flags",                     \
		[FILTER_DROP_TCP_SUBNET_PAYLOAD] = "drop_tcp_subnet_payload",                 \
		[FILTER_PROGRAMS] = 0,                                                        \
	}

#define FILTER_SUBNET	   0xc6130000 /* 198.19.0.0, half of RFC 2544's benchmark addresses */
#define FILTER_SUBNET_MASK 0xffff0000
#define FILTER_MARK	   'X'

/* All that is in an object's rodata. */
struct filter_settings {
	__u32 program;
	__u32 counted; /* 0 only to see what counting costs */
	__u32 ifindex; /* interface that a netfilter hook filters; 0: all of them */
};

#endif
