// SPDX-License-Identifier: Apache-2.0
/*
 * From a pipeline's .spec to a shared object that swx_run loads: DPDK makes C code of
 * it, a C compiler compiles it with the flags of DPDK's own pipeline application, so
 * that rates compare. Both run as nobody, without a network, in a temporary folder that
 * ends with them, and hand the object back; it takes its name only when it is whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <rte_swx_pipeline.h>
#include <rte_version.h>

#include "cell.h"
#include "common/options.h"
#include "common/runner.h"
#include "common/sha256.h"
#include "spec.h"

#define ARGV_MAX   32
#define COPY_BYTES (1 << 20)

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
	{ "compiler", OPTION_TEXT, AT(compiler), "FILE", .help = "C compiler",
	  .preset = "/usr/bin/cc" },
	{},
};

static const struct option_table table = {
	.program = "swx_build",
	.about = "Compiles a pipeline of DPDK's SWX. Prints one JSON line.\n",
	.example = "swx_build --spec a.spec --library a.so --include build/dpdk/include\n",
	.rows = rows,
};

static int generate(FILE *spec, const char *name, FILE *code)
{
	const char *why = "no reason given";
	uint32_t line = 0;
	int error = swx_spec_check(spec, name);

	if (error)
		return error;
	error = rte_swx_pipeline_codegen(spec, code, &line, &why);
	if (error)
		/* Where instructions are wrong DPDK does not say on which line. */
		fprintf(stderr,
			"spec=%s:%u: DPDK refuses it: %s; allowed: what %s runs; correct it\n",
			name, line, why, rte_version());
	else if (fflush(code))
		error = -errno;
	return error;
}

static void exec_compiler(const struct options *options, const struct swx_cell *cell,
			  const char *object, int code_fd)
{
	char includes[] = SWX_INCLUDES, *rest = includes, *include, temporary[80];
	/* Nothing of who called us reaches the compiler. */
	char *environment[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", temporary, NULL };
	const char *argv[ARGV_MAX] = { options->compiler,
				       "-O3",
				       "-fpic",
				       "-shared",
				       "-pipe",
				       "-Wno-deprecated-declarations",
				       "-I",
				       cell->include };
	int argc = 8;

	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", cell->temporary);
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
	execve(options->compiler, (char *const *)argv, environment);
	fprintf(stderr, "compiler=%s: %s; allowed: a C compiler; apt-get install gcc\n",
		options->compiler, strerror(errno));
	_exit(RUNNER_CANNOT);
}

static int wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return RUNNER_SETUP;
	if (WIFSIGNALED(status))
		fprintf(stderr, "compiler: ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : RUNNER_SETUP;
}

static int copy(int from, int to)
{
	off_t at = 0;
	ssize_t sent;

	while ((sent = sendfile(to, from, &at, COPY_BYTES)) > 0)
		;
	return sent < 0 ? -errno : 0;
}

static int compile(const struct options *options, const struct swx_cell *cell, int code_fd,
		   int object_fd)
{
	char object[96];
	int code, made;
	pid_t pid;

	snprintf(object, sizeof(object), "%s/pipeline.so", cell->temporary);
	pid = fork();
	if (!pid)
		exec_compiler(options, cell, object, code_fd);
	code = wait_for(pid);
	if (code != RUNNER_DONE)
		return code == RUNNER_CANNOT ? RUNNER_CANNOT : RUNNER_SETUP;
	made = open(object, O_RDONLY | O_CLOEXEC);
	unlink(object);
	if (made < 0 || copy(made, object_fd)) {
		runner_complain(object, -errno);
		return RUNNER_SETUP;
	}
	return RUNNER_DONE;
}

/* In the cell: from here on nothing may be trusted, and nothing can be reached. */
static int build(const struct options *options, FILE *spec, int object_fd)
{
	int error, code = RUNNER_SETUP, code_fd;
	struct swx_cell cell;
	FILE *text;

	if (swx_cell_enter(&cell, options->include))
		return RUNNER_SETUP;
	code_fd = memfd_create("pipeline.c", MFD_CLOEXEC);
	text = code_fd < 0 ? NULL : fdopen(code_fd, "w");
	if (!text) {
		runner_complain("pipeline code", -errno);
		if (code_fd >= 0)
			close(code_fd);
		goto clean;
	}
	error = generate(spec, options->spec, text);
	if (!error)
		code = compile(options, &cell, code_fd, object_fd);
	else if (error == -EINVAL)
		code = RUNNER_USAGE;
	fclose(text);
clean:
	swx_cell_clean(&cell);
	return code;
}

/* A reader finds the whole object under its name, or none. */
static int put(const char *library, int object_fd)
{
	char path[PATH_MAX];
	int error, fd;

	if (snprintf(path, sizeof(path), "%s.%d", library, getpid()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	error = copy(object_fd, fd);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(path, library))
		error = -errno;
	if (error)
		unlink(path);
	return error;
}

static int finish(const struct options *options, int object_fd)
{
	char hex[SHA256_HEX_BYTES];
	int error = put(options->library, object_fd);

	if (!error)
		error = sha256_of_file(object_fd, hex);
	if (error) {
		runner_complain(options->library, error);
		return RUNNER_SETUP;
	}
	printf("{\"library\": \"%s\", \"sha256\": \"%s\", \"dpdk\": \"%s\"}\n", options->library,
	       hex, rte_version());
	return RUNNER_DONE;
}

int main(int argc, char **argv)
{
	struct options options = {};
	enum option_outcome outcome = options_parse(&table, argc, argv, &options, NULL);
	int error, object_fd, code;
	FILE *spec;
	pid_t pid;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	spec = fopen(options.spec, "re");
	if (!spec) {
		fprintf(stderr, "spec=%s: %s; allowed: a readable file; correct the path\n",
			options.spec, strerror(errno));
		return RUNNER_USAGE;
	}
	error = runner_die_with_parent();
	object_fd = memfd_create("pipeline.so", MFD_CLOEXEC);
	if (error || object_fd < 0) {
		runner_complain("pipeline object", error ? error : -errno);
		return RUNNER_SETUP;
	}
	pid = swx_cell_fork();
	if (!pid) {
		/* It may have died before we could ask to end with it: then nobody reads on. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(build(&options, spec, object_fd));
	}
	code = wait_for(pid);
	fclose(spec);
	return code == RUNNER_DONE ? finish(&options, object_fd) : code;
}
