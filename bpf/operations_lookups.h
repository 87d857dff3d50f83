/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the program operations looks its tables up, and draws their keys. */
#ifndef LINERATE_OPERATIONS_LOOKUPS_H
#define LINERATE_OPERATIONS_LOOKUPS_H

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "operations.h"
#include "operations_tables.h"

const volatile struct operations_settings settings = {};

/* What the operations of one packet share. */
struct pass {
	struct xdp_md *ctx;
	__u32 queue;
	__u32 draw;
	__u64 sum;
	__u64 writes;
	__u32 checksum;
};

/* The generator's upper bits, which are its good ones, scaled to the entries. */
static __always_inline __u32 next_key(__u32 *draw, __u32 entries)
{
	*draw = *draw * 1664525 + 1013904223;
	return (__u64)*draw * entries >> 32;
}

static __always_inline int find(void *table, struct pass *pass, __u32 first_key, __u32 entries,
				__u32 times, int shared)
{
	__u32 draw = pass->draw;
	struct operations_value *value;
	__u32 i, key;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		key = first_key + next_key(&draw, entries);
		value = bpf_map_lookup_elem(table, &key);
		if (!value)
			return -1;
		if (shared)
			__sync_fetch_and_add(&value->lookups, 1);
		else
			value->lookups++;
	}
	pass->draw = draw;
	return 0;
}

static __always_inline int look_up(void *table, struct pass *pass, __u32 first_key, __u32 entries,
				   __u32 times)
{
	return find(table, pass, first_key, entries, times, 0);
}

static __always_inline int look_array_up(struct pass *pass, __u32 times)
{
	__u32 entries = settings.entries[OPERATIONS_ARRAY_LOOKUP];

	return look_up(&array, pass, pass->queue * entries, entries, times);
}

static __always_inline int look_percpu_array_up(struct pass *pass, __u32 times)
{
	return look_up(&percpu_array, pass, 0, settings.entries[OPERATIONS_PERCPU_ARRAY_LOOKUP],
		       times);
}

static __always_inline int look_hash_up(struct pass *pass, __u32 times)
{
	__u32 entries = settings.entries[OPERATIONS_HASH_LOOKUP];

	return look_up(&hash, pass, pass->queue * entries, entries, times);
}

static __always_inline int look_lru_hash_up(struct pass *pass, __u32 times)
{
	__u32 entries = settings.entries[OPERATIONS_LRU_HASH_LOOKUP];

	return look_up(&lru_hash, pass, pass->queue * entries, entries, times);
}

static __always_inline int look_lpm_up(struct pass *pass, __u32 times)
{
	__u32 entries = settings.entries[OPERATIONS_LPM_LOOKUP];
	struct operations_lpm_key key = { .prefix_bits = 32 };
	__u32 first_key = pass->queue * entries;
	struct operations_value *value;
	__u32 draw = pass->draw;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		key.address =
			bpf_htonl((first_key + next_key(&draw, entries)) << settings.lpm_shift);
		value = bpf_map_lookup_elem(&lpm, &key);
		if (!value)
			return -1;
		value->lookups++;
	}
	pass->draw = draw;
	return 0;
}

static __always_inline int add_to_shared_hash(struct pass *pass, __u32 times)
{
	return find(&shared_hash, pass, 0, settings.entries[OPERATIONS_SHARED_HASH_ADD], times, 1);
}

static __always_inline int draw_keys(struct pass *pass, __u32 times)
{
	__u32 entries = settings.entries[OPERATIONS_KEY_ONLY];
	__u32 draw = pass->draw;
	__u64 sum = pass->sum;
	__u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++)
		sum += next_key(&draw, entries);
	pass->draw = draw;
	pass->sum = sum;
	return 0;
}

#endif
