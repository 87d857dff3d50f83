// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "options.h"

#define MEMORY_ACCESSES_MAX   (1 << 23)
#define WORKING_SET_BYTES_MAX (1ULL << 40)
#define AT(member)	      offsetof(struct xdp_dut_options, member)

static const char *const hooks[] = {
	[XDP_DUT_NATIVE] = "native",
	[XDP_DUT_GENERIC] = "generic",
	[XDP_DUT_GENERIC + 1] = NULL,
};

static const char *const kinds[] = {
	[OPERATIONS_ARRAY_LOOKUP] = "array_lookup",
	[OPERATIONS_PERCPU_ARRAY_LOOKUP] = "percpu_array_lookup",
	[OPERATIONS_HASH_LOOKUP] = "hash_lookup",
	[OPERATIONS_LRU_HASH_LOOKUP] = "lru_hash_lookup",
	[OPERATIONS_LPM_LOOKUP] = "lpm_lookup",
	[OPERATIONS_SHARED_HASH_ADD] = "shared_hash_add",
	[OPERATIONS_KEY_ONLY] = "key_only",
	[OPERATIONS_PACKET_READ] = "packet_read",
	[OPERATIONS_CHECKSUM] = "checksum",
	[OPERATIONS_PACKET_WRITE] = "packet_write",
	[OPERATIONS_HEADER_PUSH_POP] = "header_push_pop",
	[OPERATIONS_TAIL_CALL] = "tail_call",
	[OPERATIONS_KINDS] = NULL,
};

static int find_kind(const char *name, size_t length)
{
	int kind;

	for (kind = 0; kind < OPERATIONS_KINDS; kind++)
		if (strlen(kinds[kind]) == length && !strncmp(kinds[kind], name, length))
			return kind;
	return -1;
}

/* KIND=COUNT; a kind given twice is a mistake, not a sum. */
static const char *parse_operation(const char *text, void *to)
{
	struct xdp_dut_options *options = to;
	const char *equals = strchr(text, '=');
	int kind = equals ? find_kind(text, equals - text) : -1;

	if (kind < 0)
		return "unknown";
	if (options->counts[kind])
		return "this kind was given before";
	options->operations_given = 1;
	return option_count(equals + 1, 1,
			    kind == OPERATIONS_TAIL_CALL ? OPERATIONS_TAIL_CALLS_MAX
							 : OPERATIONS_COUNT_MAX,
			    &options->counts[kind]);
}

static const struct option_row rows[] = {
	{ "object", OPTION_TEXT, AT(object), "FILE.bpf.o", .help = "the program", .needed = 1 },
	{ "dev", OPTION_TEXT, AT(device), "NAME", .help = "interface to attach it to",
	  .needed = 1 },
	{ "hook", OPTION_CHOICE, AT(hook), "NAME", .help = "where", .needed = 1, .names = hooks },
	{ "memory-accesses", OPTION_COUNT, AT(memory_accesses), "N",
	  .help = "map lookups of a packet, of the program map_lookup", .preset = "0",
	  .maximum = MEMORY_ACCESSES_MAX },
	{ "operation", OPTION_PARSED, .unit = "KIND=COUNT",
	  .help = "for each packet, of the program operations; once for each kind",
	  .allowed = "a count from 1 on of ", .names = kinds, .parse = parse_operation },
	{ "working-set-bytes", OPTION_COUNT, AT(working_set_bytes), "N",
	  .help = "of each table looked up, for one queue; 0: one entry", .preset = "0",
	  .maximum = WORKING_SET_BYTES_MAX },
	{ "queues", OPTION_COUNT, AT(queues), "N", .help = "receive queues that look up",
	  .preset = "1", .minimum = 1, .maximum = OPERATIONS_QUEUES_MAX },
	{},
};

const struct option_table xdp_dut_table = {
	.program = "xdp_dut",
	.about = "Attaches until standard input closes; prints one JSON line when attached.\n",
	.example = "xdp_dut --object operations.bpf.o --dev dut --hook native \\\n"
		   "           --operation hash_lookup=16 --working-set-bytes 1048576\n",
	.rows = rows,
};
