// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common/options.h"
#include "plan.h"

#define VALUE_BYTES (1 << 20)

struct line {
	char *words[4];
	int count;
	char *rest; /* after the first word */
	unsigned long number;
	const char *path;
};

typedef int (*line_handler)(const struct line *line, void *to);

static int refuse(const struct line *line, const char *why, int error)
{
	fprintf(stderr, "%s line %lu (%s %.60s): %s: %s\n", line->path, line->number,
		line->words[0], line->count > 1 ? line->words[1] : "", why, strerror(-error));
	return error;
}

static void split(struct line *line, char *text)
{
	char *space;

	text[strcspn(text, "\n")] = '\0';
	space = strchr(text, ' ');
	line->rest = space ? space + 1 : text + strlen(text);
	if (!strncmp(text, "order ", 6)) { /* its words are read by themselves */
		*space = '\0';
		line->words[0] = text;
		line->count = 1;
		return;
	}
	for (line->count = 0; text && line->count < 4; line->count++) {
		line->words[line->count] = text;
		space = line->count < 3 ? strchr(text, ' ') : NULL;
		if (space)
			*space++ = '\0';
		text = space;
	}
}

static int for_each_line(const char *path, line_handler handle, void *to)
{
	struct line line = { .path = path };
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int error = 0;

	if (!file) {
		error = -errno;
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return error;
	}
	while (!error && getline(&text, &size, file) >= 0) {
		line.number++;
		split(&line, text);
		error = handle(&line, to);
	}
	free(text);
	fclose(file);
	return error;
}

static int is(const struct line *line, const char *word, int words)
{
	return line->count == words && !strcmp(line->words[0], word);
}

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

static int handle_before(const struct line *line, void *to)
{
	struct bpf_object *object = to;
	struct bpf_map *map;
	uint64_t number;
	int error;

	if (!is(line, "max", 3) && !is(line, "set", 4))
		return 0;
	map = find_map(object, line->words[1]);
	if (!map)
		return refuse(line, "no such map", -ENOENT);
	error = read_count(line->words[2], UINT32_MAX, &number);
	if (!error)
		error = is(line, "max", 3) ? bpf_map__set_max_entries(map, number)
					   : set_bytes(map, number, line->words[3]);
	return error ? refuse(line, "it cannot be set", error) : 0;
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
	uint8_t key[512] = {};
	uint8_t *value;
	int error;

	value = calloc(1, VALUE_BYTES);
	if (!value)
		return -ENOMEM;
	error = bpf_map__key_size(map) > sizeof(key) || bpf_map__value_size(map) > VALUE_BYTES
			? -E2BIG
			: 0;
	if (!error && option_hex(line->words[2], key, sizeof(key)) != (int)bpf_map__key_size(map))
		error = -EINVAL;
	if (!error &&
	    option_hex(line->words[3], value, VALUE_BYTES) != (int)bpf_map__value_size(map))
		error = -EINVAL;
	if (!error)
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

static int handle_after(const struct line *line, void *to)
{
	struct bpf_object *object = to;
	struct bpf_program *program;
	struct bpf_map *map, *inner;
	int error;

	if (!is(line, "fill", 4) && !is(line, "call", 4) && !is(line, "nest", 4))
		return 0;
	map = find_map(object, line->words[1]);
	if (!map)
		return refuse(line, "no such map", -ENOENT);
	if (is(line, "fill", 4)) {
		error = fill(line, map);
	} else if (is(line, "call", 4)) {
		program = bpf_object__find_program_by_name(object, line->words[3]);
		error = put_fd(line, map, program ? bpf_program__fd(program) : -ENOENT);
	} else {
		inner = find_map(object, line->words[3]);
		error = put_fd(line, map, inner ? bpf_map__fd(inner) : -ENOENT);
	}
	return error ? refuse(line, "the entry is not taken", error) : 0;
}

static int add_frame(const struct line *line, struct plan_frames *to)
{
	struct feed_frame *frame;
	int bytes;

	if (to->frames_count == FEED_FRAMES_MAX)
		return refuse(line, "too many frames", -E2BIG);
	frame = &to->frames[to->frames_count];
	bytes = option_hex(line->words[1], frame->packet, sizeof(frame->packet));
	if (bytes < 14)
		return refuse(line, "not a frame of 14 to 2044 bytes", bytes < 0 ? bytes : -EINVAL);
	frame->packet_bytes = bytes;
	to->frames_count++;
	return 0;
}

static int add_order(const struct line *line, struct plan_frames *to)
{
	char *text = line->rest, *end;
	unsigned long place;

	while (*text) {
		errno = 0;
		place = strtoul(text, &end, 10);
		if (end == text || errno || (*end && *end != ' ') || place >= FEED_FRAMES_MAX)
			return refuse(line, "not places of frames", -EINVAL);
		if (to->order_count == FEED_ORDER_MAX)
			return refuse(line, "too many places", -E2BIG);
		to->order[to->order_count++] = place;
		text = *end ? end + 1 : end;
	}
	return 0;
}

static int handle_frames(const struct line *line, void *to)
{
	if (is(line, "frame", 2))
		return add_frame(line, to);
	if (is(line, "order", 1))
		return add_order(line, to);
	return 0;
}

int plan_before_load(const char *path, struct bpf_object *object)
{
	return path ? for_each_line(path, handle_before, object) : 0;
}

int plan_after_load(const char *path, struct bpf_object *object)
{
	return path ? for_each_line(path, handle_after, object) : 0;
}

int plan_read_frames(const char *path, struct plan_frames *frames)
{
	uint32_t place;
	int error;

	frames->frames = calloc(FEED_FRAMES_MAX, sizeof(*frames->frames));
	frames->order = calloc(FEED_ORDER_MAX, sizeof(*frames->order));
	if (!frames->frames || !frames->order)
		return -ENOMEM;
	error = for_each_line(path, handle_frames, frames);
	for (place = 0; !error && place < frames->order_count; place++)
		if (frames->order[place] >= frames->frames_count)
			error = -EINVAL;
	if (!error && !frames->order_count)
		error = -ENODATA;
	return error;
}

void plan_free_frames(struct plan_frames *frames)
{
	free(frames->frames);
	free(frames->order);
}
