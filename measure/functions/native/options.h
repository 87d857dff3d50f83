/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_FUNCTION_OPTIONS_H
#define LINERATE_FUNCTION_OPTIONS_H

#include "common/options.h"

struct function_options {
	const char *function, *entry, *plan;
	uint64_t rounds, chunk_us, each;
};

extern const struct option_table function_table;

#endif
