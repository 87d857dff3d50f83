// SPDX-License-Identifier: Apache-2.0
/*
 * Device under test that filters: loads one object anew, puts it on a hook, says
 * so in one JSON line, and answers each line on standard input with what was
 * dropped until then. Ends when its standard input closes. A program, qdisc or
 * link that is there already is never replaced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "filter_hook.h"
#include "filter_program.h"
#include "runner.h"

struct options {
	const char *object;
	const char *device;
	const struct filter_hook *hook;
	struct filter_settings settings;
};

static const char usage[] =
	"Usage: filter_dut --object FILE.bpf.o --dev NAME --hook HOOK --program NAME [--uncounted]\n"
	"Attaches until standard input closes; prints one JSON line when attached, and one with\n"
	"the packets dropped so far for each line that it reads.\n"
	"  --hook HOOK     xdp_native, xdp_generic, tc, prerouting or input\n"
	"  --program NAME  drop_all, drop_tcp_subnet, drop_udp_subnet, drop_tcp_subnet_flags or\n"
	"                  drop_tcp_subnet_payload\n"
	"  --uncounted     do not count, to see what counting costs\n";

static int parse_program(const char *name, __u32 *program)
{
	int number = filter_program_number(name);

	*program = number;
	return number < 0 ? number : 0;
}

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "object", required_argument, NULL, 'o' },
		{ "dev", required_argument, NULL, 'd' },
		{ "hook", required_argument, NULL, 'h' },
		{ "program", required_argument, NULL, 'p' },
		{ "uncounted", no_argument, NULL, 'u' },
		{},
	};
	int option, program_error = -EINVAL;

	options->settings.counted = 1;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'o':
			options->object = optarg;
			break;
		case 'd':
			options->device = optarg;
			break;
		case 'h':
			options->hook = filter_find_hook(optarg);
			break;
		case 'p':
			program_error = parse_program(optarg, &options->settings.program);
			break;
		case 'u':
			options->settings.counted = 0;
			break;
		default:
			return -EINVAL;
		}
	}
	return options->object && options->device && options->hook ? program_error : -EINVAL;
}

static int answer_until_stdin_closes(struct bpf_object *object)
{
	uint64_t dropped;
	char line[64];
	int error;

	while (fgets(line, sizeof(line), stdin)) {
		error = filter_dropped(object, &dropped);
		if (error)
			return error;
		printf("{\"at_ns\": %" PRIu64 ", \"dropped\": %" PRIu64 "}\n", runner_now_ns(),
		       dropped);
		fflush(stdout);
	}
	return 0;
}

static int print_attached(struct bpf_object *object, double program_ns)
{
	struct bpf_program *program = bpf_object__next_program(object, NULL);
	uint64_t bytes;
	uint32_t id;
	int error;

	error = filter_program_id(bpf_program__fd(program), &id);
	if (!error)
		error = filter_memory_bytes(object, &bytes);
	if (error)
		return error;
	printf("{\"attached\": \"%s\", \"program_id\": %" PRIu32
	       ", \"program_ns\": %.3f, \"memory_bytes\": %" PRIu64 "}\n",
	       bpf_program__name(program), id, program_ns, bytes);
	return fflush(stdout) ? -errno : 0;
}

static int attach_and_answer(struct bpf_object *object, const struct options *options)
{
	struct bpf_program *program = bpf_object__next_program(object, NULL);
	int program_fd = bpf_program__fd(program);
	struct filter_attachment attachment;
	double program_ns;
	int error;

	error = filter_take_ns(&options->settings, program_fd, filter_skipped_bytes(options->hook),
			       &program_ns);
	if (error)
		return error;
	error = filter_attach(options->hook, program_fd, options->device, &attachment);
	if (!error)
		error = print_attached(object, program_ns);
	if (!error)
		error = answer_until_stdin_closes(object);
	filter_detach(&attachment);
	return error;
}

static int load(struct bpf_object *object, const struct options *options)
{
	struct bpf_program *program = bpf_object__next_program(object, NULL);
	int error = program ? filter_set(object, &options->settings) : -ENOENT;

	if (error)
		return error;
	filter_set_type(options->hook, program);
	return bpf_object__load(object);
}

int main(int argc, char **argv)
{
	struct options options = {};
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
	error = load(object, &options);
	if (!error)
		error = attach_and_answer(object, &options);
	if (error)
		runner_complain(options.device, error);
	bpf_object__close(object);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
