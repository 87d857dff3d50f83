// SPDX-License-Identifier: Apache-2.0
/*
 * From a pipeline's .spec to a shared object that swx_run loads: DPDK makes C code of
 * it, a C compiler compiles it with the flags of DPDK's own pipeline application, so
 * that rates compare. The code never becomes a file; the object takes its name only
 * when it is whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
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

#include "common/runner.h"
#include "spec.h"

#define ARGV_MAX 32

static const char usage[] =
	"Usage: swx_build --spec FILE --library FILE.so [options]\n"
	"Compiles a pipeline of DPDK's SWX. Prints one JSON line.\n"
	"  --include DIR     where rte_swx_pipeline_internal.h is, which libdpdk-dev lacks\n"
	"  --compiler NAME   C compiler (default cc)\n"
	"Example: swx_build --spec a.spec --library a.so --include build/dpdk/include\n";

struct options {
	const char *spec, *library, *include, *compiler;
};

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "spec", required_argument, NULL, 's' },
		{ "library", required_argument, NULL, 'l' },
		{ "include", required_argument, NULL, 'i' },
		{ "compiler", required_argument, NULL, 'c' },
		{},
	};
	int key;

	*options = (struct options){ .compiler = "cc", .include = "." };
	while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (key) {
		case 's':
			options->spec = optarg;
			break;
		case 'l':
			options->library = optarg;
			break;
		case 'i':
			options->include = optarg;
			break;
		case 'c':
			options->compiler = optarg;
			break;
		default:
			return -EINVAL;
		}
	}
	return options->spec && options->library ? 0 : -EINVAL;
}

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
	    (int)sizeof(object))
		return RUNNER_USAGE;
	pid = fork();
	if (!pid)
		exec_compiler(options, object, code_fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return RUNNER_SETUP;
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
	struct options options;
	int code_fd, error, code = RUNNER_SETUP;
	FILE *text;

	if (parse(argc, argv, &options)) {
		fputs(usage, stderr);
		return RUNNER_USAGE;
	}
	error = runner_die_with_parent();
	code_fd = memfd_create("pipeline.c", MFD_CLOEXEC);
	text = code_fd < 0 ? NULL : fdopen(code_fd, "w");
	if (error || !text) {
		runner_complain("pipeline code", error ? error : -errno);
		return RUNNER_SETUP;
	}
	error = generate(options.spec, text);
	if (!error)
		code = compile(&options, code_fd);
	else if (error == -EINVAL)
		code = RUNNER_USAGE;
	fclose(text);
	if (code == RUNNER_DONE)
		printf("{\"library\": \"%s\", \"dpdk\": \"%s\"}\n", options.library, rte_version());
	return code;
}
