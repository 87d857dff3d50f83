/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_XSK_OPTIONS_H
#define LINERATE_XSK_OPTIONS_H

#include "bpf/xsk_redirect.h"
#include "common/options.h"

#define XSK_BATCH_PACKETS_MAX 256

enum xsk_hook {
	XSK_NATIVE,
	XSK_GENERIC,
};

struct xsk_options {
	const char *object;
	const char *device;
	enum xsk_hook hook;
	int queue_0_only;
	struct option_list cores;    /* one thread on each, core k for queue k */
	struct option_list wake_fds; /* raised when a thread has nothing left to do */
	uint64_t memory_accesses;
	const char *function; /* the user's shared object; NULL: addresses are exchanged */
	const char *entry;
	uint64_t batch_packets;
	int zero_copy;
	int need_wakeup;
	int busy_poll;
};

extern const struct option_table xsk_table;

enum option_outcome xsk_parse_options(int argc, char **argv, struct xsk_options *options);
/* XDP_FLAGS_* of the hook. */
unsigned int xsk_attach_flags(const struct xsk_options *options);

#endif
