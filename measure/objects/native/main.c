// SPDX-License-Identifier: Apache-2.0
/*
 * A user's BPF object: lists what it holds, tests one of its programs on frames, or attaches it
 * until standard input closes. Nothing of it is pinned, and a program that is on the interface
 * already is never replaced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "running/attachment.h"
#include "kernel/charged.h"
#include "common/runner.h"
#include "running/ends.h"
#include "object/listing.h"
#include "object/load.h"
#include "options.h"
#include "running/test.h"

/* A line is answered by counts; before that "+" begins to count what passes, "-" ends it. */
static int hold_until_stdin_closes(struct ends *ends)
{
	char line[64];
	int error = 0;

	while (!error && fgets(line, sizeof(line), stdin)) {
		if (*line == '+' || *line == '-')
			error = ends_count_passed(ends, *line == '+');
		if (!error && ends->object)
			error = ends_print(ends);
	}
	return error;
}

static int attach_and_hold(struct bpf_object *object, const struct bpf_program *program,
			   const struct object_options *options)
{
	struct attachment attachment = { .link_fd = -1 };
	struct ends ends = { .device.socket = -1 };
	uint64_t map_bytes = 0;
	int error = charged_add_maps(object, &map_bytes);

	if (!error && options->ends)
		error = ends_open(&ends, options, object, program);
	if (!error)
		error = attachment_make(&attachment, program, options);
	if (error)
		goto out;
	printf("{\"attached\": \"%.64s\", \"table_bytes\": %" PRIu64 "}\n",
	       bpf_program__name(program), map_bytes);
	fflush(stdout);
	error = hold_until_stdin_closes(&ends);
out:
	attachment_end(&attachment);
	ends_close(&ends);
	return error;
}

static int work_on(struct bpf_object *object, const struct object_options *options)
{
	struct bpf_program *program = load_choose(object, options);
	int error;

	if (!program)
		return -errno;
	error = load_program(object, program, options);
	if (error)
		return error;
	if (options->work == OBJECT_TEST)
		return test_program(program, options);
	error = attach_and_hold(object, program, options);
	if (error)
		runner_complain(options->device, error);
	return error;
}

static const char *lacks(const struct object_options *options)
{
	if (options->work == OBJECT_TEST && (!options->feed || !options->plan))
		return "--feed and --plan";
	if (options->work == OBJECT_ATTACH && !options->device)
		return "--dev";
	return NULL;
}

static int exit_code(int error)
{
	return error == -EINVAL || error == -ENOEXEC ? RUNNER_USAGE : runner_exit_code(error);
}

int main(int argc, char **argv)
{
	struct object_options options = {};
	enum option_outcome outcome = options_parse(&object_table, argc, argv, &options, NULL);
	struct bpf_object *object;
	int error = 0;

	if (outcome != OPTIONS_READ)
		return options_exit(&object_table, outcome);
	if (lacks(&options)) {
		options_refuse("do", "it", "an option is missing", lacks(&options), "name it");
		return RUNNER_USAGE;
	}
	runner_quiet_libbpf();
	/* A qdisc stays when its maker is killed: that one ends when its standard input does. */
	if (options.hook != OBJECT_TC && runner_die_with_parent())
		return RUNNER_SETUP;
	object = load_open(options.object);
	if (!object)
		return RUNNER_USAGE;
	if (options.work == OBJECT_LIST)
		listing_print(object);
	else
		error = work_on(object, &options);
	bpf_object__close(object);
	return error ? exit_code(error) : RUNNER_DONE;
}
