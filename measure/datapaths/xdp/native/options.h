/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_XDP_DUT_OPTIONS_H
#define LINERATE_XDP_DUT_OPTIONS_H

#include "bpf/operations.h"

struct xdp_dut_options {
	const char *object;
	const char *device;
	__u32 attach_flags;
	__u32 memory_accesses;
	__u32 counts[OPERATIONS_KINDS]; /* operations of each kind for each packet */
	int operations_given;
	__u64 working_set_bytes; /* of each table, for one queue; 0: one entry */
	__u32 queues;
};

extern const char xdp_dut_usage[];

/* 0, or -EINVAL with the reason on stderr. */
int xdp_dut_parse_options(int argc, char **argv, struct xdp_dut_options *options);

#endif
