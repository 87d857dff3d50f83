/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the program operations: how large, how filled. */
#ifndef LINERATE_XDP_DUT_TABLES_H
#define LINERATE_XDP_DUT_TABLES_H

#include "options.h"

struct bpf_object;

/* 0, or -ENOMEM with the reason on stderr: the tables would take too much of the memory. */
int xdp_dut_check_memory(const struct xdp_dut_options *options);
/* Set the program's settings and the sizes of its tables, before it is loaded. */
int xdp_dut_set_operations(struct bpf_object *object, const struct xdp_dut_options *options);
/* Give each table that is looked up its entries, once it is loaded. */
int xdp_dut_fill_tables(struct bpf_object *object, const struct xdp_dut_options *options);

#endif
