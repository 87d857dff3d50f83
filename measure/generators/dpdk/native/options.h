/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_DPDK_TRAFFIC_OPTIONS_H
#define LINERATE_DPDK_TRAFFIC_OPTIONS_H

#include "measure/datapaths/swx/native/options.h"
#include "measure/datapaths/swx/native/trial/load.h"

struct dpdk_options {
	struct swx_options device; /* as pipelines have theirs */
	struct swx_load load;
	char *load_flags;
	int is_veth;
};

extern const struct option_table dpdk_table;

enum option_outcome dpdk_parse_options(int argc, char **argv, struct dpdk_options *options);

#endif
