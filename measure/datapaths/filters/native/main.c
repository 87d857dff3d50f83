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
#include <net/if.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "hook.h"
#include "program.h"
#include "common/runner.h"

#define PRIORITY_STEPS 16

struct options {
	const char *object;
	const char *device;
	const struct filter_hook *hook;
	struct filter_settings settings;
	int only_device;
};

static const char usage[] =
	"Usage: filter_dut --object FILE.bpf.o --dev NAME --hook HOOK --program NAME [--only-dev]\n"
	"       [--uncounted]\n"
	"Attaches until standard input closes; prints one JSON line when attached, and one with\n"
	"the packets dropped so far for each line that it reads.\n"
	"  --hook HOOK     xdp_native, xdp_generic, tc, prerouting or input\n"
	"  --program NAME  drop_all, drop_tcp_subnet, drop_udp_subnet, drop_tcp_subnet_flags or\n"
	"                  drop_tcp_subnet_payload\n"
	"  --only-dev      on a netfilter hook leave what came by another device alone\n"
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
		{ "only-dev", no_argument, NULL, 'i' },
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
		case 'i':
			options->only_device = 1;
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

/*
 * A netfilter hook has one program of each priority, and a table of iptables holds
 * the usual one also when it is empty: where others have rules, come just before.
 */
static int attach(const struct options *options, int program_fd,
		  struct filter_attachment *attachment)
{
	struct filter_hook hook = *options->hook;
	int error, steps = options->only_device ? PRIORITY_STEPS : 0;

	while ((error = filter_attach(&hook, program_fd, options->device, attachment)) == -EBUSY &&
	       hook.kind == FILTER_HOOK_NETFILTER && steps--)
		hook.netfilter_priority--;
	return error;
}

static int attach_and_answer(struct bpf_object *object, const struct options *options,
			     double program_ns)
{
	int program_fd = bpf_program__fd(bpf_object__next_program(object, NULL));
	struct filter_attachment attachment;
	int error;

	error = attach(options, program_fd, &attachment);
	if (!error)
		error = print_attached(object, program_ns);
	if (!error)
		error = answer_until_stdin_closes(object);
	filter_detach(&attachment);
	return error;
}

/* Open and load an object; NULL with the reason in error. */
static struct bpf_object *load(const struct options *options,
			       const struct filter_settings *settings, int *error)
{
	struct bpf_object *object = bpf_object__open(options->object);
	struct bpf_program *program = object ? bpf_object__next_program(object, NULL) : NULL;

	*error = object ? -ENOENT : -errno;
	if (program)
		*error = filter_set(object, settings);
	if (!*error) {
		filter_set_type(options->hook, program);
		*error = bpf_object__load(object);
	}
	if (!*error)
		return object;
	bpf_object__close(object);
	return NULL;
}

/* A load of its own, which takes frames of any device: those of a test run come by none. */
static int take_ns(const struct options *options, double *program_ns)
{
	struct bpf_object *object;
	int error;

	object = load(options, &options->settings, &error);
	if (!object)
		return error;
	error = filter_take_ns(&options->settings,
			       bpf_program__fd(bpf_object__next_program(object, NULL)),
			       filter_skipped_bytes(options->hook), program_ns);
	bpf_object__close(object);
	return error;
}

static int run(const struct options *options)
{
	struct filter_settings settings = options->settings;
	struct bpf_object *object;
	double program_ns;
	int error;

	error = take_ns(options, &program_ns);
	if (error)
		return error;
	settings.ifindex = options->only_device ? if_nametoindex(options->device) : 0;
	if (options->only_device && !settings.ifindex)
		return -errno;
	object = load(options, &settings, &error);
	if (!object)
		return error;
	error = attach_and_answer(object, options, program_ns);
	bpf_object__close(object);
	return error;
}

int main(int argc, char **argv)
{
	struct options options = {};
	int error;

	if (parse_options(argc, argv, &options)) {
		fputs(usage, stderr);
		return RUNNER_USAGE;
	}
	runner_quiet_libbpf();
	/* A qdisc stays when its maker is killed: this one ends when its standard input does. */
	if (options.hook->kind != FILTER_HOOK_TC && runner_die_with_parent())
		return RUNNER_SETUP;
	error = run(&options);
	if (error)
		runner_complain(options.device, error);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
