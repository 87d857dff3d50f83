// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/runner.h"
#include "tables.h"

/*
 * What an entry takes, as the kernel lays it out on 64-bit machines (kernel/bpf/hashtab.c,
 * lpm_trie.c, 6.18): an element's header and key before its value; a bucket is a list
 * head and a lock, as many as the next power of two; a trie of n entries has n - 1 inner
 * nodes beside them, each node in a block of 128 bytes.
 */
#define ARRAY_ENTRY_BYTES  sizeof(struct operations_value)
#define HASH_ELEMENT_BYTES (56 + sizeof(struct operations_value))
#define HASH_BUCKET_BYTES  16
#define LPM_ENTRY_BYTES	   256

/* Elements that the kernel moves to a CPU's own free list at a time, see fill_table(). */
#define LRU_FREE_TARGET 128

#define TABLE_BYTES_MAX (1ULL << 37) /* so that entries can be counted in 32 bits */
#define FILL_BATCH	4096
#define FILL_TRIES	1000
#define ADDRESS_BITS	32

static const char *const table_names[OPERATIONS_TABLES] = {
	[OPERATIONS_ARRAY_LOOKUP] = "array", [OPERATIONS_PERCPU_ARRAY_LOOKUP] = "percpu_array",
	[OPERATIONS_HASH_LOOKUP] = "hash",   [OPERATIONS_LRU_HASH_LOOKUP] = "lru_hash",
	[OPERATIONS_LPM_LOOKUP] = "lpm",     [OPERATIONS_SHARED_HASH_ADD] = "shared_hash",
};

union table_key {
	__u32 number;
	struct operations_lpm_key prefix;
};

/* The most elements that fit with their buckets; buckets come in powers of two. */
static __u64 hash_entries(__u64 bytes)
{
	__u64 buckets, fit, most = 0;

	for (buckets = 1; buckets * HASH_BUCKET_BYTES < bytes; buckets *= 2) {
		fit = (bytes - buckets * HASH_BUCKET_BYTES) / HASH_ELEMENT_BYTES;
		if (fit > buckets)
			fit = buckets;
		if (fit > most)
			most = fit;
	}
	return most;
}

/* Entries that the keys of one queue range over; one at the least. */
static __u32 entries_of(int kind, const struct xdp_dut_options *options)
{
	__u64 bytes = options->working_set_bytes, entries;

	switch (kind) {
	case OPERATIONS_HASH_LOOKUP:
	case OPERATIONS_LRU_HASH_LOOKUP:
		entries = hash_entries(bytes * options->queues) / options->queues;
		break;
	case OPERATIONS_SHARED_HASH_ADD:
		entries = hash_entries(bytes);
		break;
	case OPERATIONS_LPM_LOOKUP:
		entries = bytes / LPM_ENTRY_BYTES;
		break;
	default:
		entries = bytes / ARRAY_ENTRY_BYTES;
	}
	return entries ? entries : 1;
}

/* A per-CPU array has every key on every CPU. */
static int has_keys_of_all(int kind)
{
	return kind == OPERATIONS_PERCPU_ARRAY_LOOKUP || kind == OPERATIONS_SHARED_HASH_ADD;
}

/* Elsewhere each queue has keys of its own. */
static __u32 table_entries(int kind, const struct xdp_dut_options *options)
{
	__u32 entries = entries_of(kind, options);

	return has_keys_of_all(kind) ? entries : entries * options->queues;
}

static uint64_t available_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	uint64_t kib = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	}
	fclose(file);
	return kib * 1024;
}

int xdp_dut_check_memory(const struct xdp_dut_options *options)
{
	uint64_t most = available_bytes() / 2, bytes = 0;
	int kind, copies;

	if (most > TABLE_BYTES_MAX)
		most = TABLE_BYTES_MAX;
	for (kind = 0; kind < OPERATIONS_TABLES; kind++) {
		copies = kind == OPERATIONS_PERCPU_ARRAY_LOOKUP ? libbpf_num_possible_cpus()
								: (int)options->queues;
		if (options->counts[kind])
			bytes += options->working_set_bytes * copies;
	}
	if (bytes <= most)
		return 0;
	fprintf(stderr,
		"working_set_bytes=%" PRIu64 ": the tables would take %" PRIu64
		" bytes together; allowed: "
		"%" PRIu64
		", half of what this machine has available, and 128 GiB at the most; lower it\n",
		options->working_set_bytes, bytes, most);
	return -ENOMEM;
}

static __u32 lpm_shift(__u32 entries)
{
	__u32 bits = 1;

	while (bits < ADDRESS_BITS && 1ULL << bits < entries)
		bits++;
	return ADDRESS_BITS - bits;
}

static int size_table(struct bpf_object *object, int kind, const struct xdp_dut_options *options)
{
	__u32 entries = table_entries(kind, options);
	struct bpf_map *map = bpf_object__find_map_by_name(object, table_names[kind]);

	if (!map)
		return -ENOENT;
	if (kind == OPERATIONS_LRU_HASH_LOOKUP)
		entries += LRU_FREE_TARGET;
	return bpf_map__set_max_entries(map, entries);
}

int xdp_dut_set_operations(struct bpf_object *object, const struct xdp_dut_options *options)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");
	struct operations_settings settings = {};
	int kind, error;

	if (!rodata)
		return -ENOENT;
	for (kind = 0; kind < OPERATIONS_KINDS; kind++)
		settings.counts[kind] = options->counts[kind];
	for (kind = 0; kind <= OPERATIONS_KEY_ONLY; kind++)
		settings.entries[kind] = entries_of(kind, options);
	settings.lpm_shift = lpm_shift(table_entries(OPERATIONS_LPM_LOOKUP, options));
	for (kind = 0; kind < OPERATIONS_TABLES; kind++) {
		error = options->counts[kind] ? size_table(object, kind, options) : 0;
		if (error)
			return error;
	}
	return bpf_map__set_initial_value(rodata, &settings, sizeof(settings));
}

/* Prefixes of every length from the shortest that tells all entries apart. */
static struct operations_lpm_key prefix_of(__u32 number, __u32 shift)
{
	return (struct operations_lpm_key){
		.prefix_bits = ADDRESS_BITS - number % (shift + 1),
		.address = htonl(number << shift),
	};
}

/* The trie's allocator may be out of nodes until it is refilled from an interrupt. */
static int update_batch(int fd, const void *keys, size_t key_bytes,
			const struct operations_value *values, __u32 count)
{
	__u32 done = 0, step;
	int error, tries;

	for (tries = 0; done < count && tries < FILL_TRIES; tries++) {
		step = count - done;
		error = bpf_map_update_batch(fd, (const char *)keys + done * key_bytes, values,
					     &step, NULL);
		if (error && error != -ENOMEM && error != -EAGAIN)
			return error;
		done += step;
	}
	return done == count ? 0 : -ENOMEM;
}

static int fill_table(int fd, int kind, __u32 entries, __u32 shift)
{
	struct operations_value *values = calloc(FILL_BATCH, sizeof(*values));
	int lpm = kind == OPERATIONS_LPM_LOOKUP;
	size_t key_bytes = lpm ? sizeof(struct operations_lpm_key) : sizeof(__u32);
	char *keys = calloc(FILL_BATCH, key_bytes);
	int error = values && keys ? 0 : -ENOMEM;
	union table_key key;
	__u32 first, count, i;

	for (first = 0; !error && first < entries; first += count) {
		count = entries - first < FILL_BATCH ? entries - first : FILL_BATCH;
		for (i = 0; i < count; i++) {
			if (lpm)
				key.prefix = prefix_of(first + i, shift);
			else
				key.number = first + i;
			memcpy(keys + i * key_bytes, &key, key_bytes);
		}
		error = update_batch(fd, keys, key_bytes, values, count);
	}
	free(keys);
	free(values);
	return error;
}

/*
 * On one CPU: each CPU keeps free elements of an LRU table to itself, and another that
 * finds none left would evict entries just made.
 */
int xdp_dut_fill_tables(struct bpf_object *object, const struct xdp_dut_options *options)
{
	__u32 shift = lpm_shift(table_entries(OPERATIONS_LPM_LOOKUP, options));
	cpu_set_t cpus;
	int kind, fd, error;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	error = runner_pin(sched_getcpu());
	for (kind = OPERATIONS_HASH_LOOKUP; !error && kind < OPERATIONS_TABLES; kind++) {
		fd = bpf_object__find_map_fd_by_name(object, table_names[kind]);
		if (options->counts[kind])
			error = fill_table(fd, kind, table_entries(kind, options), shift);
	}
	return sched_setaffinity(0, sizeof(cpus), &cpus) && !error ? -errno : error;
}
