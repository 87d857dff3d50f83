// SPDX-License-Identifier: Apache-2.0
/*
 * Device under test on an XDP hook: loads one object anew, attaches it by a link
 * that lives as long as this process, prints one JSON line then, and holds until
 * its standard input closes. A program that is on the interface already is never
 * replaced: a link does not take the place of another program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "kernel/charged.h"
#include "kernel/pass_time.h"
#include "common/runner.h"
#include "options.h"
#include "tables.h"

#define PACKET_BYTES	   60
#define OPERATIONS_PROGRAM "operations"

/* The one to attach: an object's only program, or the one that begins the chain of calls. */
static struct bpf_program *entry_program(struct bpf_object *object)
{
	struct bpf_program *first = bpf_object__find_program_by_name(object, OPERATIONS_PROGRAM);

	return first ? first : bpf_object__next_program(object, NULL);
}

/* Set memory_accesses in the object's rodata; fine to lack it when 0 is asked for. */
static int set_memory_accesses(struct bpf_object *object, uint32_t memory_accesses)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");

	if (!rodata)
		return memory_accesses ? -ENOENT : 0;
	return bpf_map__set_initial_value(rodata, &memory_accesses, sizeof(memory_accesses));
}

/* Time of one pass over a 64-byte frame, outside any driver, ns. */
static int take_program_ns(int program_fd, double *program_ns)
{
	char packet[PACKET_BYTES] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet));
	int error = pass_time_take(program_fd, &run, program_ns);

	if (!error && run.retval == XDP_ABORTED)
		error = -ENOENT; /* a table lacks what is looked up */
	return error;
}

static void hold_until_stdin_closes(void)
{
	char sink[64];

	while (read(STDIN_FILENO, sink, sizeof(sink)) > 0)
		;
}

static int attach_and_hold(struct bpf_object *object, const struct xdp_dut_options *options)
{
	struct bpf_program *program = entry_program(object);
	LIBBPF_OPTS(bpf_link_create_opts, link,
		    .flags = options->hook == XDP_DUT_NATIVE ? XDP_FLAGS_DRV_MODE
							     : XDP_FLAGS_SKB_MODE);
	int program_fd = bpf_program__fd(program);
	int ifindex = if_nametoindex(options->device);
	uint64_t table_bytes = 0;
	double program_ns;
	int link_fd, error;

	if (!ifindex)
		return -errno;
	error = take_program_ns(program_fd, &program_ns);
	if (!error)
		error = charged_add_maps(object, &table_bytes);
	if (error)
		return error;
	link_fd = bpf_link_create(program_fd, ifindex, BPF_XDP, &link);
	if (link_fd < 0)
		return link_fd;
	printf("{\"attached\": \"%s\", \"program_ns\": %.3f, \"table_bytes\": %" PRIu64 "}\n",
	       bpf_program__name(program), program_ns, table_bytes);
	if (fflush(stdout))
		error = -errno;
	else
		hold_until_stdin_closes();
	close(link_fd);
	return error;
}

static int takes_operations(struct bpf_object *object)
{
	return bpf_object__find_program_by_name(object, OPERATIONS_PROGRAM) != NULL;
}

static int load(struct bpf_object *object, const struct xdp_dut_options *options)
{
	int error;

	if (takes_operations(object))
		error = xdp_dut_set_operations(object, options);
	else
		error = set_memory_accesses(object, options->memory_accesses);
	if (!error)
		error = bpf_object__load(object);
	if (!error && takes_operations(object))
		error = xdp_dut_fill_tables(object, options);
	return error;
}

/* The settings of one program are not settings of another. */
static int check_settings(struct bpf_object *object, const struct xdp_dut_options *options)
{
	int misplaced = takes_operations(object) ? options->memory_accesses != 0
						 : options->operations_given;

	if (!misplaced)
		return 0;
	fprintf(stderr,
		"object=%s: its program has no such setting; allowed: --operation with the program "
		"%s, --memory-accesses with others; leave it out\n",
		options->object, OPERATIONS_PROGRAM);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct xdp_dut_options options = {};
	enum option_outcome outcome = options_parse(&xdp_dut_table, argc, argv, &options, NULL);
	struct bpf_object *object;
	int error, code;

	if (outcome != OPTIONS_READ)
		return options_exit(&xdp_dut_table, outcome);
	runner_quiet_libbpf();
	error = runner_die_with_parent();
	if (error)
		return RUNNER_SETUP;
	if (xdp_dut_check_memory(&options))
		return RUNNER_CANNOT;
	object = bpf_object__open(options.object);
	if (!object) {
		runner_complain(options.object, -errno);
		return RUNNER_SETUP;
	}
	code = RUNNER_USAGE;
	if (check_settings(object, &options))
		goto out;
	error = load(object, &options);
	if (!error)
		error = attach_and_hold(object, &options);
	if (error)
		runner_complain(options.device, error);
	code = error ? runner_exit_code(error) : RUNNER_DONE;
out:
	bpf_object__close(object);
	return code;
}
