// SPDX-License-Identifier: Apache-2.0
/*
 * Device under test on an XDP hook: loads one object anew, attaches it by a link
 * that lives as long as this process, says so in one JSON line, and holds until
 * its standard input closes. A program that is on the interface already is never
 * replaced: a link does not take the place of another program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "runner.h"

#define PACKET_BYTES 60
#define TEST_RUN_NS  20000000 /* spent on taking the program's own time */

struct options {
	const char *object;
	const char *device;
	__u32 attach_flags;
	__u32 memory_accesses;
};

static const char usage[] =
	"Usage: xdp_dut --object FILE.bpf.o --dev NAME --hook native|generic [--memory-accesses N]\n"
	"Attaches until standard input closes; prints one JSON line when attached.\n";

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

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "object", required_argument, NULL, 'o' },
		{ "dev", required_argument, NULL, 'd' },
		{ "hook", required_argument, NULL, 'm' },
		{ "memory-accesses", required_argument, NULL, 'n' },
		{},
	};
	double number;
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'o':
			options->object = optarg;
			break;
		case 'd':
			options->device = optarg;
			break;
		case 'm':
			if (parse_hook(optarg, &options->attach_flags))
				return -EINVAL;
			break;
		case 'n':
			if (runner_parse_number(optarg, 0, 1 << 23, &number))
				return -EINVAL;
			options->memory_accesses = number;
			break;
		default:
			return -EINVAL;
		}
	}
	return options->object && options->device && options->attach_flags ? 0 : -EINVAL;
}

/* Set memory_accesses in the object's rodata; fine to lack it when 0 is asked for. */
static int set_memory_accesses(struct bpf_object *object, __u32 memory_accesses)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");

	if (!rodata)
		return memory_accesses ? -ENOENT : 0;
	return bpf_map__set_initial_value(rodata, &memory_accesses, sizeof(memory_accesses));
}

/* Mean time of one pass over a 64-byte frame, outside any driver, ns. */
static int take_program_ns(int program_fd, double *program_ns)
{
	char packet[PACKET_BYTES] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = 1000);
	__u64 begin;
	int error;

	error = bpf_prog_test_run_opts(program_fd, &run);
	if (error)
		return error;
	run.repeat = TEST_RUN_NS / (run.duration + 1);
	begin = runner_now_ns();
	error = bpf_prog_test_run_opts(program_fd, &run);
	/* run.duration is a whole number of ns: too coarse for a program of 3 ns. */
	*program_ns = (double)(runner_now_ns() - begin) / run.repeat;
	return error;
}

static void hold_until_stdin_closes(void)
{
	char sink[64];

	while (read(STDIN_FILENO, sink, sizeof(sink)) > 0)
		;
}

static int attach_and_hold(struct bpf_program *program, const struct options *options)
{
	LIBBPF_OPTS(bpf_link_create_opts, link, .flags = options->attach_flags);
	int program_fd = bpf_program__fd(program);
	int ifindex = if_nametoindex(options->device);
	double program_ns;
	int link_fd, error;

	if (!ifindex)
		return -errno;
	error = take_program_ns(program_fd, &program_ns);
	if (error)
		return error;
	link_fd = bpf_link_create(program_fd, ifindex, BPF_XDP, &link);
	if (link_fd < 0)
		return link_fd;
	printf("{\"attached\": \"%s\", \"program_ns\": %.3f}\n", bpf_program__name(program),
	       program_ns);
	fflush(stdout);
	hold_until_stdin_closes();
	close(link_fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {};
	struct bpf_program *program;
	struct bpf_object *object;
	int error;

	if (parse_options(argc, argv, &options)) {
		fputs(usage, stderr);
		return RUNNER_USAGE;
	}
	runner_quiet_libbpf();
	error = runner_die_with_parent();
	if (error)
		return RUNNER_SETUP;
	object = bpf_object__open(options.object);
	if (!object) {
		runner_complain(options.object, -errno);
		return RUNNER_SETUP;
	}
	error = set_memory_accesses(object, options.memory_accesses);
	if (!error)
		error = bpf_object__load(object);
	program = bpf_object__next_program(object, NULL);
	if (!error)
		error = program ? attach_and_hold(program, &options) : -ENOENT;
	if (error)
		runner_complain(options.device, error);
	bpf_object__close(object);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
