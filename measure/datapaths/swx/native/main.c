// SPDX-License-Identifier: Apache-2.0
/*
 * Runs a compiled pipeline of DPDK's SWX on cores of its own. Each line on standard input
 * asks for one thing, such as to offer a load; it ends when that closes. Generator and sink
 * are the main thread: where packets come from it, it takes a core.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_version.h>

#include "common/privileges.h"
#include "common/runner.h"
#include "eal.h"
#include "library.h"
#include "query.h"
#include "trial/watch.h"

#define LINE_BYTES 8192

static int open_ports(struct swx_bench *bench)
{
	int i, error = 0;

	for (i = 0; !error && i < swx_workers(bench->options); i++)
		error = swx_worker_open_port(&bench->workers[i], bench->options, i);
	return error;
}

/* Only ports need what root may do. What is compiled gets none of it. */
static int open_workers(struct swx_bench *bench)
{
	char library[SEALED_PATH_BYTES];
	int error = open_ports(bench);

	if (!error)
		error = swx_library_open(bench->options, library);
	if (!error) {
		error = privileges_drop();
		if (error)
			runner_complain("capabilities", error);
	}
	for (; !error && bench->opened < swx_workers(bench->options); bench->opened += !error)
		error = swx_worker_open(&bench->workers[bench->opened], bench->options, library);
	return error;
}

/* Before there is any traffic; a device of the kernel may have some already. */
static int time_empty_polls(struct swx_bench *bench)
{
	int i, error = 0;

	if (bench->options->port == SWX_NULL)
		return 0;
	for (i = 0; !error && i < bench->opened; i++)
		error = swx_worker_time_empty_polls(&bench->workers[i]);
	return error;
}

static void print_ready(const struct swx_bench *bench)
{
	int i;

	printf("{\"dpdk\": \"%s\", \"hugepages\": %s, \"oversubscribed\": %s, "
	       "\"cycles_per_second\": %.0f, \"threads\": [",
	       rte_version(), bench->options->hugepages ? "true" : "false",
	       bench->options->oversubscribe ? "true" : "false", bench->cycles_per_second);
	for (i = 0; i < bench->opened; i++)
		printf("%s%d", i ? ", " : "", bench->workers[i].thread_id);
	printf("], \"empty_poll_cycles\": [");
	for (i = 0; i < bench->opened; i++)
		printf(isnan(bench->workers[i].empty_poll_cycles) ? "%snull" : "%s%.1f",
		       i ? ", " : "", bench->workers[i].empty_poll_cycles);
	printf("]}\n");
	fflush(stdout);
}

static int run_trial(struct swx_bench *bench, char *flags)
{
	static struct swx_report report;
	struct swx_load load;
	int error;

	switch (swx_load_parse(flags, &load)) {
	case OPTIONS_READ:
		break;
	case OPTIONS_HELP:
		/* Standard output is for JSON. */
		options_print_usage(&swx_load_table, stderr);
		return 0;
	default:
		return -EINVAL;
	}
	switch (bench->options->port) {
	case SWX_NULL:
		error = swx_trial_run_null(bench, &load, &report);
		break;
	case SWX_AF_XDP:
	case SWX_PCI:
		runner_complain("trial: packets of --port af_xdp and pci come from outside", 0);
		return -EINVAL;
	default:
		error = swx_trial_run(bench, &load, &report);
	}
	if (!error)
		swx_print_report(bench, &report);
	return error;
}

static int answer(struct swx_bench *bench, char *line)
{
	char *words = line + strcspn(line, " \n");

	line[strcspn(line, "\n")] = '\0';
	if (*words)
		*words++ = '\0';
	if (!*line)
		return swx_watch_print(bench);
	if (!strcmp(line, "counts"))
		return swx_print_counts(bench);
	if (!strcmp(line, "trial"))
		return run_trial(bench, words);
	if (!strcmp(line, "packet"))
		return swx_print_passage(bench, words);
	if (!strcmp(line, "register"))
		return swx_print_registers(bench, words);
	if (!strcmp(line, "table"))
		return swx_print_table(bench, words);
	runner_complain(line, -EINVAL);
	return -EINVAL;
}

static int serve(struct swx_bench *bench)
{
	char line[LINE_BYTES];
	int error = 0;

	while (!error && fgets(line, sizeof(line), stdin)) {
		error = answer(bench, line);
		fflush(stdout);
	}
	return error;
}

static int run(struct swx_bench *bench)
{
	int error = swx_eal_start(bench->options);

	if (error)
		return error;
	bench->cycles_per_second = rte_get_tsc_hz();
	bench->schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (bench->schedstat_fd < 0)
		return -errno;
	error = open_workers(bench);
	if (!error)
		error = time_empty_polls(bench);
	if (!error && swx_is_fed_from_outside(bench->options->port))
		error = swx_bench_start(bench);
	if (error)
		return error;
	swx_watch_begin(bench);
	print_ready(bench);
	return serve(bench);
}

int main(int argc, char **argv)
{
	static struct swx_options options;
	static struct swx_bench bench = { .options = &options };
	enum option_outcome outcome = swx_parse_options(argc, argv, &options);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&swx_table, outcome);
	runner_run_first();
	error = runner_die_with_parent();
	if (!error)
		error = run(&bench);
	fflush(stdout);
	/* All of DPDK ends with the process: nothing of it is outside. */
	if (error == -EINVAL)
		_exit(RUNNER_USAGE);
	_exit(error ? runner_exit_code(error) : RUNNER_DONE);
}
