// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "load.h"
#include "../options.h"
#include "kernel/netfilter_hook.h"
#include "plan.h"

#define LOG_BYTES      (1 << 20)
#define LOG_LINES_LAST 12

/* By hook: the compiler's headers may be older than netfilter's. */
static const unsigned int types[] = {
	[OBJECT_NATIVE] = BPF_PROG_TYPE_XDP,   [OBJECT_GENERIC] = BPF_PROG_TYPE_XDP,
	[OBJECT_TC] = BPF_PROG_TYPE_SCHED_CLS, [OBJECT_PREROUTING] = PROG_TYPE_NETFILTER,
	[OBJECT_INPUT] = PROG_TYPE_NETFILTER,
};

static int is_for_tc(const char *section)
{
	static const char *const prefixes[] = { "tc/", "tcx/", "classifier/" };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(section, prefixes[i], strlen(prefixes[i])))
			return 1;
	return 0;
}

/* Sections that only libbpf 1.3 and later knows. */
static void set_types(struct bpf_object *object)
{
	struct bpf_program *program = NULL;
	const char *section;

	while ((program = bpf_object__next_program(object, program))) {
		section = bpf_program__section_name(program);
		if (bpf_program__type(program) != BPF_PROG_TYPE_UNSPEC)
			continue;
		if (is_for_tc(section))
			bpf_program__set_type(program, BPF_PROG_TYPE_SCHED_CLS);
		else if (!strcmp(section, "netfilter"))
			netfilter_hook_set_type(program);
	}
}

struct bpf_object *load_open(const char *path)
{
	struct bpf_object *object = bpf_object__open(path);

	if (object)
		set_types(object);
	else
		fprintf(stderr, "%s: libbpf cannot open it: %s\n", path, strerror(errno));
	return object;
}

/* A section that libbpf does not know, such as "prog", leaves the type open. */
static int may_be(const struct bpf_program *program, unsigned int type)
{
	return bpf_program__type(program) == type ||
	       bpf_program__type(program) == BPF_PROG_TYPE_UNSPEC;
}

static void list_candidates(struct bpf_object *object, unsigned int type)
{
	struct bpf_program *program = NULL;
	const char *comma = "";

	while ((program = bpf_object__next_program(object, program))) {
		if (!may_be(program, type))
			continue;
		fprintf(stderr, "%s%.64s", comma, bpf_program__name(program));
		comma = ", ";
	}
}

static struct bpf_program *find_entry(struct bpf_object *object, unsigned int type,
				      const char *name)
{
	struct bpf_program *program = NULL, *found = NULL;
	int count = 0;

	while ((program = bpf_object__next_program(object, program))) {
		if (!may_be(program, type) ||
		    (name && strcmp(bpf_program__name(program), name) != 0))
			continue;
		found = program;
		count++;
	}
	return count == 1 ? found : NULL;
}

struct bpf_program *load_choose(struct bpf_object *object, const struct object_options *options)
{
	unsigned int type = types[options->hook];
	struct bpf_program *entry = find_entry(object, type, options->entry);

	if (!entry) {
		fprintf(stderr, "entry=%s: %s; allowed: ", options->entry ? options->entry : "",
			options->entry ? "the object has no such program for this hook"
				       : "the object has none for this hook, or several");
		list_candidates(object, type);
		fputs("; name one of them\n", stderr);
		errno = EINVAL;
		return NULL;
	}
	if (type == PROG_TYPE_NETFILTER)
		netfilter_hook_set_type(entry);
	else
		bpf_program__set_type(entry, type);
	return entry;
}

static int has_calls(struct bpf_object *object)
{
	struct bpf_map *map = NULL;

	while ((map = bpf_object__next_map(object, map)))
		if (bpf_map__type(map) == BPF_MAP_TYPE_PROG_ARRAY)
			return 1;
	return 0;
}

/* Pinned by name it would be shared with whoever else has that name, and stay. */
static void pin_nothing(struct bpf_object *object)
{
	struct bpf_map *map = NULL;

	while ((map = bpf_object__next_map(object, map)))
		bpf_map__set_pin_path(map, NULL);
}

/* Only the entry, and what it may call by a table of programs. */
static void choose_loaded(struct bpf_object *object, const struct bpf_program *entry)
{
	int calls = has_calls(object);
	struct bpf_program *program = NULL;
	struct bpf_map *map = NULL;

	while ((program = bpf_object__next_program(object, program)))
		bpf_program__set_autoload(
			program, program == entry || (calls && bpf_program__type(program) ==
								       bpf_program__type(entry)));
	while ((map = bpf_object__next_map(object, map)))
		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			bpf_map__set_autocreate(map, false);
}

/* The last lines: they say which instruction, and why. What it cost the verifier helps nobody. */
static void print_log(char *log)
{
	char *effort = strstr(log, "\nprocessed "), *at;
	int lines = 0;

	if (effort)
		effort[1] = '\0';
	at = log + strlen(log);
	while (at > log && lines <= LOG_LINES_LAST)
		if (*--at == '\n')
			lines++;
	fprintf(stderr, "the verifier refused it:%s", at);
}

int load_program(struct bpf_object *object, struct bpf_program *entry,
		 const struct object_options *options)
{
	char *log = calloc(1, LOG_BYTES);
	int error;

	if (!log)
		return -ENOMEM;
	choose_loaded(object, entry);
	pin_nothing(object);
	bpf_program__set_log_buf(entry, log, LOG_BYTES);
	error = plan_before_load(options->plan, object, entry);
	if (error)
		goto out;
	error = bpf_object__load(object);
	if (error) {
		if (*log)
			print_log(log);
		fprintf(stderr, "%s: it cannot be loaded: %s\n", bpf_program__name(entry),
			strerror(-error));
		goto out;
	}
	error = plan_after_load(options->plan, object);
out:
	bpf_program__set_log_buf(entry, NULL, 0);
	free(log);
	return error;
}
