/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs have that time parts of a program: a loop, and a table. */
#ifndef LINERATE_COSTS_H
#define LINERATE_COSTS_H

#define TIMES 32
#define KEYS  512 /* entries of each table, which the caches hold */

#define EACH(count) _Pragma("clang loop unroll(disable)") for (count = 0; count < TIMES; count++)

/* Keeps a loop that does nothing, and what nobody looks at. */
#define KEEP(value) asm volatile("" : "+r"(value))

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KEYS);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

#endif
