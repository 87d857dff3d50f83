/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_XDP_DUT_OPTIONS_H
#define LINERATE_XDP_DUT_OPTIONS_H

#include "bpf/operations.h"
#include "common/options.h"

enum xdp_dut_hook {
	XDP_DUT_NATIVE,
	XDP_DUT_GENERIC,
};

struct xdp_dut_options {
	const char *object;
	const char *device;
	enum xdp_dut_hook hook;
	uint64_t memory_accesses;
	uint64_t counts[OPERATIONS_KINDS]; /* operations of each kind for each packet */
	int operations_given;
	uint64_t working_set_bytes; /* of each table, for one queue; 0: one entry */
	uint64_t queues;
};

extern const struct option_table xdp_dut_table;

#endif
