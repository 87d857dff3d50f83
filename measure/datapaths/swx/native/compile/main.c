// SPDX-License-Identifier: Apache-2.0
/*
 * From a pipeline's .spec to a shared object that swx_run loads: DPDK makes C code of
 * it, a C compiler compiles it with the flags of DPDK's own pipeline application, so
 * that rates compare. The code never becomes a file; the object takes its name only
 * when it is whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <rte_swx_pipeline.h>
#include <rte_version.h>

#include "common/options.h"
#include "common/runner.h"
#include "spec.h"

#define ARGV_MAX 32

struct options {
	const char *spec, *library, *include, *compiler;
};

#define AT(member) offsetof(struct options, member)

static const struct option_row rows[] = {
	{ "spec", OPTION_TEXT, AT(spec), "FILE", .help = "the pipeline", .needed = 1 },
	{ "library", OPTION_TEXT, AT(library), "FILE.so", .help = "what becomes of it",
	  .needed = 1 },
	{ "include", OPTION_TEXT, AT(include), "DIR",
	  .help = "where rte_swx_pipeline_internal.h is, which libdpdk-dev lacks", .preset = "." },
	{ "compiler", OPTION_TEXT, AT(compiler), "NAME", .help = "C compiler", .preset = "cc" },
	{},
};

static const struct option_table table = {
	.program = "swx_build",
	.about = "Compiles a pipeline of DPDK's SWX. Prints one JSON line.\n",
	.example = "swx_build --spec a.spec --library a.so --include build/dpdk/include\n",
	.rows = rows,
};

static int generate(const char *name, FILE *code)
{
	const char *why = "no reason given";
	uint32_t line = 0;
	FILE *spec = fopen(name, "re");
	int error;

	if (!spec) {
		fprintf(stderr, "spec=%s: %s; allowed: a readable file; correct the path\n", name,
			strerror(errno));
		return -EINVAL;
	}
	error = swx_spec_check(spec, name);
	if (!error) {
		error = rte_swx_pipeline_codegen(spec, code, &line, &why);
		if (error)
			/* Where instructions are wrong DPDK does not say on which line. */
			fprintf(stderr,
				"spec=%s:%u: DPDK refuses it: %s; allowed: what %s runs; "
				"correct it\n",
				name, line, why, rte_version());
		else if (fflush(code))
			error = -errno;
	}
	fclose(spec);
	return error;
}

static void exec_compiler(const struct options *options, const char *object, int code_fd)
{
	char includes[] = SWX_INCLUDES, *rest = includes, *include;
	const char *argv[ARGV_MAX] = { options->compiler,
				       "-O3",
				       "-fpic",
				       "-shared",
				       "-pipe",
				       "-Wno-deprecated-declarations",
				       "-I",
				       options->include };
	int argc = 8;

	for (; argc < ARGV_MAX - 6 && (include = strsep(&rest, " ")); argc++)
		argv[argc] = include;
	argv[argc++] = "-o";
	argv[argc++] = object;
	argv[argc++] = "-x";
	argv[argc++] = "c";
	argv[argc++] = "-";
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Our standard output is for JSON. */
	if (lseek(code_fd, 0, SEEK_SET) || dup2(code_fd, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(RUNNER_SETUP);
	execvp(options->compiler, (char *const *)argv);
	fprintf(stderr, "compiler=%s: %s; allowed: a C compiler; apt-get install gcc\n",
		options->compiler, strerror(errno));
	_exit(RUNNER_CANNOT);
}

static int compile(const struct options *options, int code_fd)
{
	char object[PATH_MAX];
	int status = 0;
	pid_t pid;

	if (snprintf(object, sizeof(object), "%s.%d", options->library, getpid()) >=
	    (int)sizeof(object)) {
		runner_complain(options->library, -ENAMETOOLONG);
		return RUNNER_USAGE;
	}
	pid = fork();
	if (!pid)
		exec_compiler(options, object, code_fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		runner_complain(options->compiler, -errno);
		return RUNNER_SETUP;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		unlink(object);
		return WIFEXITED(status) && WEXITSTATUS(status) == RUNNER_CANNOT ? RUNNER_CANNOT
										 : RUNNER_SETUP;
	}
	if (!rename(object, options->library))
		return RUNNER_DONE;
	runner_complain(options->library, -errno);
	unlink(object);
	return RUNNER_SETUP;
}

int main(int argc, char **argv)
{
	struct options options = {};
	enum option_outcome outcome = options_parse(&table, argc, argv, &options, NULL);
	int code_fd, error, code = RUNNER_SETUP;
	FILE *text = NULL;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	error = runner_die_with_parent();
	code_fd = error ? -1 : memfd_create("pipeline.c", MFD_CLOEXEC);
	text = code_fd < 0 ? NULL : fdopen(code_fd, "w");
	if (!text) {
		runner_complain("pipeline code", error ? error : -errno);
		goto out;
	}
	error = generate(options.spec, text);
	if (!error)
		code = compile(&options, code_fd);
	else if (error == -EINVAL)
		code = RUNNER_USAGE;
	if (code == RUNNER_DONE)
		printf("{\"library\": \"%s\", \"dpdk\": \"%s\"}\n", options.library, rte_version());
out:
	if (text)
		fclose(text);
	else if (code_fd >= 0)
		close(code_fd);
	return code;
}
