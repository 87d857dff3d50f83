// SPDX-License-Identifier: Apache-2.0
/*
 * A user's packet function: run on frames and timed, in a process that has no rights. What it
 * prints itself is thrown away.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/frames.h"
#include "common/runner.h"
#include "confined.h"
#include "guarded.h"
#include "loading.h"
#include "options.h"
#include "timing.h"

/* Our answer goes where standard output went, which leads to no place from now on. */
static FILE *keep_output(void)
{
	/* A buffer of its own would ask the kernel how large. */
	static char ours[BUFSIZ], theirs[BUFSIZ];
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *answer = kept < 0 ? NULL : fdopen(kept, "w");

	if (!answer)
		return NULL;
	if (!freopen("/dev/null", "w", stdout) || setvbuf(answer, ours, _IOFBF, sizeof(ours)) ||
	    setvbuf(stdout, theirs, _IOFBF, sizeof(theirs))) {
		fclose(answer);
		return NULL;
	}
	return answer;
}

static int run(int library, const struct frames *frames, const struct function_options *options,
	       FILE *answer)
{
	void *state = function_state();
	function_call call;
	int error;

	if (!state)
		return -ENOMEM;
	error = confined_to_load();
	if (error)
		return error;
	call = function_load(library, options->function, options->entry);
	if (!call)
		return -EINVAL;
	error = confined_to_run();
	if (error)
		return error;
	doing.entry = options->entry;
	error = guarded_run(call, state, frames);
	return error ? error : timing_run(call, state, frames, options, answer);
}

int main(int argc, char **argv)
{
	struct function_options options = {};
	enum option_outcome outcome = options_parse(&function_table, argc, argv, &options, NULL);
	struct frames frames = {};
	FILE *answer;
	int error, library;

	if (outcome != OPTIONS_READ)
		return options_exit(&function_table, outcome);
	if (runner_die_with_parent())
		return RUNNER_SETUP;
	library = function_open(options.function);
	if (library < 0)
		return RUNNER_USAGE;
	answer = keep_output();
	if (!answer)
		return RUNNER_SETUP;
	error = frames_read(options.plan, &frames);
	if (!error)
		error = run(library, &frames, &options, answer);
	if (fclose(answer) && !error)
		error = -EIO;
	frames_free(&frames);
	/* Not exit: the object's own destructors are nobody's business any more. */
	_exit(!error ? RUNNER_DONE : error == -EINVAL ? RUNNER_USAGE : RUNNER_SETUP);
}
