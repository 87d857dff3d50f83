/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Headers on their way around a function that knows nothing of NSH. */
#ifndef LINERATE_NSH_KEPT_H
#define LINERATE_NSH_KEPT_H

#include "nsh_stage.h"

/* The runner sets how many flows it has room for; the one unused for longest goes first. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, NSH_RULES_MAX);
	__type(key, struct nsh_flow);
	__type(value, struct nsh_header);
} kept SEC(".maps");

#endif
