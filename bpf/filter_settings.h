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
