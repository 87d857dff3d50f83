// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "layout.h"

#define PATH_BYTES  256
#define DEPTH_MAX   8
#define MEMBERS_MAX 512

struct printing {
	const struct btf *btf;
	unsigned int members;
};

static void print_type(struct printing *to, unsigned int id, unsigned int offset_bits,
		       const char *path, int depth);

void layout_print_text(const char *text)
{
	putchar('"');
	for (; text && *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text >= ' ' && *text <= '~' ? *text : '?');
	}
	putchar('"');
}

static const struct btf_type *plain(const struct btf *btf, unsigned int *id)
{
	const struct btf_type *type = btf__type_by_id(btf, *id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type))) {
		*id = type->type;
		type = btf__type_by_id(btf, *id);
	}
	return type;
}

static void print_member(struct printing *to, const char *path, unsigned int offset_bits,
			 unsigned int bits, unsigned int count, int is_signed)
{
	if (to->members++ >= MEMBERS_MAX)
		return;
	printf("%s{\"name\": ", to->members > 1 ? ", " : "");
	layout_print_text(path);
	printf(", \"offset_bits\": %u, \"bits\": %u, \"count\": %u, \"signed\": %s}", offset_bits,
	       bits, count, is_signed ? "true" : "false");
}

static int is_signed(const struct btf_type *type)
{
	return btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
}

static void print_array(struct printing *to, const struct btf_type *type, unsigned int offset_bits,
			const char *path, int depth)
{
	const struct btf_array *array = btf_array(type);
	unsigned int element = array->type, i;
	const struct btf_type *inner = plain(to->btf, &element);
	char name[PATH_BYTES];
	long long bytes;

	if (!inner)
		return;
	bytes = btf__resolve_size(to->btf, element);
	if (btf_is_int(inner) || btf_is_any_enum(inner)) {
		print_member(to, path, offset_bits, bytes * 8, array->nelems, is_signed(inner));
		return;
	}
	for (i = 0; bytes > 0 && i < array->nelems && to->members < MEMBERS_MAX; i++) {
		snprintf(name, sizeof(name), "%s[%u]", path, i);
		print_type(to, element, offset_bits + i * bytes * 8, name, depth + 1);
	}
}

static void print_struct(struct printing *to, const struct btf_type *type, unsigned int offset_bits,
			 const char *path, int depth)
{
	const struct btf_member *member = btf_members(type);
	char name[PATH_BYTES];
	unsigned int id, bits, at;
	int i;

	for (i = 0; i < btf_vlen(type) && to->members < MEMBERS_MAX; i++, member++) {
		const char *own = btf__name_by_offset(to->btf, member->name_off);

		snprintf(name, sizeof(name), "%s%s%s", path, *path && own && *own ? "." : "",
			 own ? own : "");
		at = offset_bits + btf_member_bit_offset(type, i);
		bits = btf_member_bitfield_size(type, i);
		id = member->type;
		if (bits)
			print_member(to, name, at, bits, 1, is_signed(plain(to->btf, &id)));
		else
			print_type(to, member->type, at, name, depth + 1);
	}
}

static void print_section(struct printing *to, const struct btf_type *type)
{
	const struct btf_var_secinfo *info = btf_var_secinfos(type);
	const struct btf_type *var;
	int i;

	for (i = 0; i < btf_vlen(type); i++, info++) {
		var = btf__type_by_id(to->btf, info->type);
		if (var && btf_is_var(var))
			print_type(to, var->type, info->offset * 8,
				   btf__name_by_offset(to->btf, var->name_off), 1);
	}
}

static void print_type(struct printing *to, unsigned int id, unsigned int offset_bits,
		       const char *path, int depth)
{
	const struct btf_type *type = plain(to->btf, &id);

	if (!type || depth > DEPTH_MAX)
		return;
	if (btf_is_datasec(type))
		print_section(to, type);
	else if (btf_is_composite(type))
		print_struct(to, type, offset_bits, path, depth);
	else if (btf_is_array(type))
		print_array(to, type, offset_bits, path, depth);
	else if (btf_is_int(type) || btf_is_any_enum(type) || btf_is_ptr(type))
		print_member(to, path, offset_bits, btf__resolve_size(to->btf, id) * 8, 1,
			     is_signed(type));
}

void layout_print(const struct btf *btf, unsigned int type_id)
{
	struct printing to = { .btf = btf };

	putchar('[');
	if (btf && type_id)
		print_type(&to, type_id, 0, "", 0);
	putchar(']');
}
