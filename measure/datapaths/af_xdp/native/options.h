/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_XSK_OPTIONS_H
#define LINERATE_XSK_OPTIONS_H

#include "bpf/xsk_redirect.h"

#define XSK_BATCH_PACKETS_MAX 256

struct xsk_options {
	const char *object;
	const char *device;
	unsigned int attach_flags;
	long cores[XSK_REDIRECT_QUEUES_MAX]; /* one thread on each, core k for queue k */
	int cores_count;
	long turn_fds[XSK_REDIRECT_QUEUES_MAX]; /* told when a thread has nothing left to do */
	int turn_fds_count;
	double memory_accesses;
	double batch_packets;
	int queue_0_only;
	int zero_copy;
	int need_wakeup;
	int busy_poll;
};

extern const char xsk_usage[];

/* 0, or -EINVAL with the reason on stderr. */
int xsk_parse_options(int argc, char **argv, struct xsk_options *options);

#endif
