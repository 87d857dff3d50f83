// SPDX-License-Identifier: Apache-2.0
/*
 * Device under test that filters: loads one object anew, puts it on a hook, prints
 * one JSON line then, and answers each line on standard input with what was
 * dropped until then. Ends when its standard input closes. A program, qdisc or
 * link that is there already is never replaced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "hook.h"
#include "program.h"
#include "common/options.h"
#include "common/runner.h"

#define PRIORITY_STEPS 16

struct options {
	const char *object;
	const char *device;
	enum filter_hook_place hook;
	enum filter_program program;
	int only_device;
	int uncounted;
};

#define AT(member) offsetof(struct options, member)

static const char *const programs[] = FILTER_NAMES;

static const struct option_row rows[] = {
	{ "object", OPTION_TEXT, AT(object), "FILE.bpf.o", .help = "the filters", .needed = 1 },
	{ "dev", OPTION_TEXT, AT(device), "NAME", .help = "interface that packets come in by",
	  .needed = 1 },
	{ "hook", OPTION_CHOICE, AT(hook), "HOOK", .help = "where", .needed = 1,
	  .names = filter_hook_names },
	{ "program", OPTION_CHOICE, AT(program), "NAME", .help = "which filter", .needed = 1,
	  .names = programs },
	{ "only-dev", OPTION_FLAG, AT(only_device),
	  .help = "on a netfilter hook leave what came by another device alone" },
	{ "uncounted", OPTION_FLAG, AT(uncounted),
	  .help = "do not count, to see what counting costs" },
	{},
};

static const struct option_table table = {
	.program = "filter_dut",
	.about = "Attaches until standard input closes; prints one JSON line when attached, and "
		 "one with\nthe packets dropped so far for each line that it reads.\n",
	.rows = rows,
};

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
	struct filter_hook hook = filter_hooks[options->hook];
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
	struct bpf_program *program;

	*error = -errno;
	if (!object)
		return NULL;
	*error = -ENOENT;
	program = bpf_object__next_program(object, NULL);
	if (!program)
		goto out;
	*error = filter_set(object, settings);
	if (*error)
		goto out;
	filter_set_type(&filter_hooks[options->hook], program);
	*error = bpf_object__load(object);
	if (!*error)
		return object;
out:
	bpf_object__close(object);
	return NULL;
}

/* A load of its own, which takes frames of any device: those of a test run come by none. */
static int take_ns(const struct options *options, const struct filter_settings *settings,
		   double *program_ns)
{
	struct bpf_object *object;
	int error;

	object = load(options, settings, &error);
	if (!object)
		return error;
	error = filter_take_ns(settings, bpf_program__fd(bpf_object__next_program(object, NULL)),
			       filter_skipped_bytes(&filter_hooks[options->hook]), program_ns);
	bpf_object__close(object);
	return error;
}

static int run(const struct options *options)
{
	struct filter_settings settings = {
		.program = options->program,
		.counted = !options->uncounted,
	};
	struct bpf_object *object;
	double program_ns = 0;
	int error;

	error = take_ns(options, &settings, &program_ns);
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
	enum option_outcome outcome = options_parse(&table, argc, argv, &options, NULL);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	runner_quiet_libbpf();
	/* A qdisc stays when its maker is killed: this one ends when its standard input does. */
	if (options.hook != FILTER_TC && runner_die_with_parent())
		return RUNNER_SETUP;
	error = run(&options);
	if (error)
		runner_complain(options.device, error);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
