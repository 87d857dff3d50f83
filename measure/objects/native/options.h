/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_OBJECT_OPTIONS_H
#define LINERATE_OBJECT_OPTIONS_H

#include <stdint.h>

#include "common/options.h"

enum object_work {
	OBJECT_LIST,
	OBJECT_TEST,
	OBJECT_ATTACH,
};

enum object_hook {
	OBJECT_NATIVE,
	OBJECT_GENERIC,
	OBJECT_TC,
	OBJECT_PREROUTING, /* of netfilter */
	OBJECT_INPUT,
};

struct object_options {
	enum object_work work;
	enum object_hook hook;
	const char *object;
	const char *entry;  /* NULL: the only one */
	const char *plan;   /* NULL: nothing is set or filled */
	const char *feed;   /* object that feeds frames; of a test */
	const char *ends;   /* object that counts what becomes of packets; NULL: nothing does */
	const char *device; /* to attach to, or that frames of a test come in by */
	uint64_t rounds;
	uint64_t chunk_us;
	uint64_t each;	 /* frames that are also timed one by one, from the first */
	uint64_t rivals; /* other cores that run it, too: timed beside 1, 2, ... of them */
};

extern const struct option_table object_table;

#endif
