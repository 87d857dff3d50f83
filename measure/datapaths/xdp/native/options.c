// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_link.h>

#include "common/runner.h"
#include "options.h"

#define MEMORY_ACCESSES_MAX   (1 << 23)
#define WORKING_SET_BYTES_MAX (1ULL << 40)

const char xdp_dut_usage[] =
	"Usage: xdp_dut --object FILE.bpf.o --dev NAME --hook native|generic [options]\n"
	"Attaches until standard input closes; prints one JSON line when attached.\n"
	"  --memory-accesses N        map lookups of a packet, of the program map_lookup\n"
	"  --operation KIND=COUNT     for each packet, of the program operations; once for each of\n"
	"                             array_lookup, percpu_array_lookup, hash_lookup,\n"
	"                             lru_hash_lookup, lpm_lookup, key_only, packet_read, checksum,\n"
	"                             packet_write, header_push_pop, tail_call\n"
	"  --working-set-bytes N      of each table looked up, for one queue (default: one entry)\n"
	"  --queues N                 receive queues that look up (default 1)\n"
	"Example: xdp_dut --object operations.bpf.o --dev dut --hook native \\\n"
	"           --operation hash_lookup=16 --operation checksum=1 --working-set-bytes 1048576\n";

static const char *const kinds[OPERATIONS_KINDS] = {
	[OPERATIONS_ARRAY_LOOKUP] = "array_lookup",
	[OPERATIONS_PERCPU_ARRAY_LOOKUP] = "percpu_array_lookup",
	[OPERATIONS_HASH_LOOKUP] = "hash_lookup",
	[OPERATIONS_LRU_HASH_LOOKUP] = "lru_hash_lookup",
	[OPERATIONS_LPM_LOOKUP] = "lpm_lookup",
	[OPERATIONS_KEY_ONLY] = "key_only",
	[OPERATIONS_PACKET_READ] = "packet_read",
	[OPERATIONS_CHECKSUM] = "checksum",
	[OPERATIONS_PACKET_WRITE] = "packet_write",
	[OPERATIONS_HEADER_PUSH_POP] = "header_push_pop",
	[OPERATIONS_TAIL_CALL] = "tail_call",
};

enum option_key {
	OBJECT = 1,
	DEV,
	HOOK,
	MEMORY_ACCESSES,
	OPERATION,
	WORKING_SET,
	QUEUES,
};

static const struct option known[] = {
	{ "object", required_argument, NULL, OBJECT },
	{ "dev", required_argument, NULL, DEV },
	{ "hook", required_argument, NULL, HOOK },
	{ "memory-accesses", required_argument, NULL, MEMORY_ACCESSES },
	{ "operation", required_argument, NULL, OPERATION },
	{ "working-set-bytes", required_argument, NULL, WORKING_SET },
	{ "queues", required_argument, NULL, QUEUES },
	{},
};

static int parse_hook(const char *text, __u32 *flags)
{
	if (!strcmp(text, "native"))
		*flags = XDP_FLAGS_DRV_MODE;
	else if (!strcmp(text, "generic"))
		*flags = XDP_FLAGS_SKB_MODE;
	else
		return -EINVAL;
	return 0;
}

static int find_kind(const char *name, size_t length)
{
	int kind;

	for (kind = 0; kind < OPERATIONS_KINDS; kind++) {
		if (strlen(kinds[kind]) == length && !strncmp(kinds[kind], name, length))
			return kind;
	}
	return -EINVAL;
}

/* KIND=COUNT; a kind given twice is a mistake, not a sum. */
static int parse_operation(const char *text, struct xdp_dut_options *options)
{
	const char *equals = strchr(text, '=');
	int kind = equals ? find_kind(text, equals - text) : -EINVAL;
	double count, most;

	if (kind < 0)
		return kind;
	most = kind == OPERATIONS_TAIL_CALL ? OPERATIONS_TAIL_CALLS_MAX : OPERATIONS_COUNT_MAX;
	if (options->counts[kind] || runner_parse_number(equals + 1, 1, most, &count) ||
	    count != (__u32)count)
		return -EINVAL;
	options->counts[kind] = count;
	options->operations_given = 1;
	return 0;
}

static int parse_value(enum option_key key, const char *text, struct xdp_dut_options *options)
{
	double number = 0;
	int error = 0;

	switch (key) {
	case OBJECT:
		options->object = text;
		break;
	case DEV:
		options->device = text;
		break;
	case HOOK:
		return parse_hook(text, &options->attach_flags);
	case MEMORY_ACCESSES:
		error = runner_parse_number(text, 0, MEMORY_ACCESSES_MAX, &number);
		options->memory_accesses = number;
		break;
	case OPERATION:
		return parse_operation(text, options);
	case WORKING_SET:
		error = runner_parse_number(text, 0, WORKING_SET_BYTES_MAX, &number);
		options->working_set_bytes = number;
		break;
	case QUEUES:
		error = runner_parse_number(text, 1, OPERATIONS_QUEUES_MAX, &number);
		options->queues = number;
		break;
	}
	return error;
}

int xdp_dut_parse_options(int argc, char **argv, struct xdp_dut_options *options)
{
	int key, place = 0;

	*options = (struct xdp_dut_options){ .queues = 1 };
	while ((key = getopt_long(argc, argv, "", known, &place)) != -1) {
		if (key == '?')
			return -EINVAL;
		if (parse_value(key, optarg, options)) {
			fprintf(stderr, "--%s %s: unknown or out of range\n", known[place].name,
				optarg);
			return -EINVAL;
		}
	}
	if (optind < argc || !options->object || !options->device || !options->attach_flags) {
		fputs("--object, --dev and --hook are needed\n", stderr);
		return -EINVAL;
	}
	return 0;
}
