// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/netfilter_hook.h"
#include "layout.h"
#include "listing.h"

static void print_program(const struct bpf_program *program)
{
	const unsigned int number = bpf_program__type(program);
	const char *type =
		number == PROG_TYPE_NETFILTER ? "netfilter" : libbpf_bpf_prog_type_str(number);

	fputs("{\"name\": ", stdout);
	layout_print_text(bpf_program__name(program));
	fputs(", \"section\": ", stdout);
	layout_print_text(bpf_program__section_name(program));
	fputs(", \"type\": ", stdout);
	layout_print_text(type ? type : "unknown");
	printf(", \"instructions\": %zu}", bpf_program__insn_cnt(program));
}

/* Global variables lie in maps that are called after the file; their section says what they are. */
static const char *map_name(const struct bpf_map *map)
{
	const char *name = bpf_map__name(map), *section = strchr(name, '.');

	return bpf_map__is_internal(map) && section ? section : name;
}

static unsigned int value_type(const struct btf *btf, const struct bpf_map *map)
{
	int id = bpf_map__btf_value_type_id(map);

	if (bpf_map__is_internal(map) && btf)
		id = btf__find_by_name_kind(btf, map_name(map), BTF_KIND_DATASEC);
	return id > 0 ? id : 0;
}

static void print_map(const struct btf *btf, struct bpf_map *map)
{
	const char *type = libbpf_bpf_map_type_str(bpf_map__type(map));

	fputs("{\"name\": ", stdout);
	layout_print_text(map_name(map));
	fputs(", \"type\": ", stdout);
	layout_print_text(type ? type : "unknown");
	printf(", \"key_bytes\": %u, \"value_bytes\": %u, \"entries_max\": %u, \"flags\": %u, "
	       "\"pinned\": %s, \"is_variables\": %s, \"key\": ",
	       bpf_map__key_size(map), bpf_map__value_size(map), bpf_map__max_entries(map),
	       bpf_map__map_flags(map), bpf_map__pin_path(map) ? "true" : "false",
	       bpf_map__is_internal(map) ? "true" : "false");
	layout_print(btf, bpf_map__btf_key_type_id(map));
	fputs(", \"value\": ", stdout);
	layout_print(btf, value_type(btf, map));
	putchar('}');
}

void listing_print(struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_program *program = NULL;
	struct bpf_map *map = NULL;
	const char *comma = "";

	fputs("{\"programs\": [", stdout);
	while ((program = bpf_object__next_program(object, program))) {
		fputs(comma, stdout);
		print_program(program);
		comma = ", ";
	}
	fputs("], \"maps\": [", stdout);
	comma = "";
	while ((map = bpf_object__next_map(object, map))) {
		fputs(comma, stdout);
		print_map(btf, map);
		comma = ", ";
	}
	puts("]}");
}
