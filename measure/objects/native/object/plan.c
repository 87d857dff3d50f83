// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/lines.h"
#include "common/options.h"
#include "plan.h"

#define VALUE_BYTES (1 << 20)

static int read_count(const char *text, uint64_t maximum, uint64_t *value)
{
	return option_count(text, 0, maximum, value) ? -EINVAL : 0;
}

/* A map by the name that the listing gave it. */
static struct bpf_map *find_map(struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_by_name(object, name);
}

static int set_bytes(struct bpf_map *map, uint64_t offset, const char *hex)
{
	size_t size;
	const void *initial = bpf_map__initial_value(map, &size);
	char *copy;
	int bytes, error;

	if (!initial || offset > size)
		return -EINVAL;
	copy = malloc(size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, initial, size);
	bytes = option_hex(hex, (uint8_t *)copy + offset, size - offset);
	error = bytes < 0 ? bytes : bpf_map__set_initial_value(map, copy, size);
	free(copy);
	return error;
}

struct before {
	struct bpf_object *object;
	const struct bpf_program *entry;
};

/* What a table of programs is to hold is loaded too; of an unknown section as the entry is. */
static void load_called(const struct before *before, const char *name)
{
	struct bpf_program *called = bpf_object__find_program_by_name(before->object, name);

	if (!called || called == before->entry)
		return;
	if (bpf_program__type(called) == BPF_PROG_TYPE_UNSPEC) {
		bpf_program__set_type(called, bpf_program__type(before->entry));
		bpf_program__set_expected_attach_type(
			called, bpf_program__expected_attach_type(before->entry));
	}
	bpf_program__set_autoload(called, true);
}

static int handle_before(const struct line *line, void *to)
{
	const struct before *before = to;
	struct bpf_object *object = before->object;
	struct bpf_map *map;
	uint64_t number;
	int error;

	if (lines_match(line, "call", 4) || lines_match(line, "follow", 4))
		load_called(before, line->words[3]);
	if (!lines_match(line, "max", 3) && !lines_match(line, "set", 4))
		return 0;
	map = find_map(object, line->words[1]);
	if (!map)
		return lines_refuse(line, "no such map", -ENOENT);
	error = read_count(line->words[2], UINT32_MAX, &number);
	if (!error)
		error = lines_match(line, "max", 3) ? bpf_map__set_max_entries(map, number)
						    : set_bytes(map, number, line->words[3]);
	return error ? lines_refuse(line, "it cannot be set", error) : 0;
}

static int is_per_cpu(const struct bpf_map *map)
{
	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_PERCPU_ARRAY:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return 1;
	default:
		return 0;
	}
}

static int update(const struct bpf_map *map, const uint8_t *key, const uint8_t *value)
{
	size_t size = bpf_map__value_size(map), stride = (size + 7) / 8 * 8;
	int cpu, error, cpus = libbpf_num_possible_cpus();
	uint8_t *all;

	if (!is_per_cpu(map)) /* a queue, a stack and a bloom filter have no keys */
		return bpf_map_update_elem(bpf_map__fd(map), bpf_map__key_size(map) ? key : NULL,
					   value, BPF_ANY)
			       ? -errno
			       : 0;
	all = calloc(cpus, stride);
	if (!all)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++)
		memcpy(all + cpu * stride, value, size);
	error = bpf_map_update_elem(bpf_map__fd(map), key, all, BPF_ANY) ? -errno : 0;
	free(all);
	return error;
}

static int fill(const struct line *line, struct bpf_map *map)
{
	int key_bytes = bpf_map__key_size(map), value_bytes = bpf_map__value_size(map);
	uint8_t key[512] = {};
	uint8_t *value;
	int error;

	if (key_bytes > (int)sizeof(key) || value_bytes > VALUE_BYTES)
		return -E2BIG;
	value = calloc(1, value_bytes + 1); /* no larger: there may be a million lines */
	if (!value)
		return -ENOMEM;
	if (option_hex(line->words[2], key, sizeof(key)) != key_bytes ||
	    option_hex(line->words[3], value, value_bytes) != value_bytes)
		error = -EINVAL;
	else
		error = update(map, key, value);
	free(value);
	return error;
}

/* Put a program, or a map, into a table of such. */
static int put_fd(const struct line *line, struct bpf_map *map, int fd)
{
	uint8_t key[512] = {};

	if (fd < 0)
		return -ENOENT;
	if (option_hex(line->words[2], key, sizeof(key)) != (int)bpf_map__key_size(map))
		return -EINVAL;
	return bpf_map_update_elem(bpf_map__fd(map), key, &fd, BPF_ANY) ? -errno : 0;
}

/* An entry of a devmap or cpumap: where packets go, and the program that they come to there. */
static int put_behind(const struct line *line, struct bpf_map *map, int fd)
{
	uint8_t key[512] = {};
	struct {
		uint32_t index;
		int program_fd;
	} entry;

	if (fd < 0)
		return -ENOENT;
	if (option_hex(line->words[2], key, sizeof(key)) != (int)bpf_map__key_size(map) ||
	    bpf_map__value_size(map) != sizeof(entry))
		return -EINVAL;
	if (bpf_map_lookup_elem(bpf_map__fd(map), key, &entry))
		return -errno;
	entry.program_fd = fd;
	return bpf_map_update_elem(bpf_map__fd(map), key, &entry, BPF_ANY) ? -errno : 0;
}

static int handle_after(const struct line *line, void *to)
{
	struct bpf_object *object = to;
	struct bpf_program *program;
	struct bpf_map *map, *inner;
	int error, fd;

	if (!lines_match(line, "fill", 4) && !lines_match(line, "call", 4) &&
	    !lines_match(line, "nest", 4) && !lines_match(line, "follow", 4))
		return 0;
	map = find_map(object, line->words[1]);
	if (!map)
		return lines_refuse(line, "no such map", -ENOENT);
	if (lines_match(line, "fill", 4)) {
		error = fill(line, map);
	} else if (!lines_match(line, "nest", 4)) {
		program = bpf_object__find_program_by_name(object, line->words[3]);
		fd = program ? bpf_program__fd(program) : -ENOENT;
		error = lines_match(line, "call", 4) ? put_fd(line, map, fd)
						     : put_behind(line, map, fd);
	} else {
		inner = find_map(object, line->words[3]);
		error = put_fd(line, map, inner ? bpf_map__fd(inner) : -ENOENT);
	}
	return error ? lines_refuse(line, "the entry is not taken", error) : 0;
}

int plan_before_load(const char *path, struct bpf_object *object, const struct bpf_program *entry)
{
	struct before before = { object, entry };

	return path ? lines_for_each(path, handle_before, &before) : 0;
}

int plan_after_load(const char *path, struct bpf_object *object)
{
	return path ? lines_for_each(path, handle_after, object) : 0;
}
