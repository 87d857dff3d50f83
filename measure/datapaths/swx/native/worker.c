// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "common/runner.h"
#include "ports/flows.h"
#include "ports/replay.h"
#include "schedstat.h"
#include "worker.h"

#define EMPTY_POLL_WINDOWS 10
#define EMPTY_POLL_US	   1000
#define LINE_BYTES	   4096
#define NUMA_NODE	   0

/* DPDK adds one more by itself, for what is dropped: it is the last port. */
static int write_ends(uint64_t last_port, FILE *ports)
{
	uint64_t port;

	for (port = 1; port < last_port; port++)
		fprintf(ports, "port out %" PRIu64 " sink file none\n", port);
	return fflush(ports) ? -errno : 0;
}

static int open_pipeline(struct swx_worker *worker, const struct swx_options *options,
			 const char *library)
{
	char name[RTE_SWX_NAME_SIZE];
	FILE *ports = tmpfile();
	int error;

	if (!ports)
		return -errno;
	snprintf(name, sizeof(name), "pipeline%d", worker->number);
	error = swx_lane_write_ports(&worker->lane, worker->number, options->burst_packets, ports);
	if (!error)
		error = write_ends(options->last_port, ports);
	rewind(ports);
	if (!error)
		error = rte_swx_pipeline_build_from_lib(&worker->pipeline, name, library, ports,
							NUMA_NODE);
	fclose(ports);
	if (!error && !(worker->control = rte_swx_ctl_pipeline_create(worker->pipeline)))
		error = -ENOMEM;
	if (error)
		runner_complain(options->library, error);
	return error;
}

static int add_entry(struct swx_worker *worker, const char *table, const char *line)
{
	struct rte_swx_table_entry *entry;
	int no_entry = 0, error;

	entry = rte_swx_ctl_pipeline_table_entry_read(worker->control, table, line, &no_entry);
	if (!entry)
		return no_entry ? 0 : -EINVAL;
	/* A line without what to match says what becomes of packets that match nothing. */
	error = strncmp(line, "match", 5)
			? rte_swx_ctl_pipeline_table_default_entry_add(worker->control, table,
								       entry)
			: rte_swx_ctl_pipeline_table_entry_add(worker->control, table, entry);
	free(entry->key);
	free(entry->key_mask);
	free(entry->action_data);
	free(entry);
	return error;
}

/* Members come as Python wrote them, groups from 0 without gaps: DPDK numbers them so itself. */
static int add_member(struct swx_worker *worker, const char *selector, const char *line,
		      uint32_t *groups)
{
	uint32_t group, member, weight, added;
	int error = 0, used = 0;

	if (sscanf(line, "group %" SCNu32 " member %" SCNu32 " weight %" SCNu32 "%n", &group,
		   &member, &weight, &used) != 3 ||
	    line[used] != '\n' || group > *groups)
		return -EINVAL;
	if (group == *groups) {
		error = rte_swx_ctl_pipeline_selector_group_add(worker->control, selector, &added);
		if (error || added != (*groups)++)
			return error ? error : -EINVAL;
	}
	return rte_swx_ctl_pipeline_selector_group_member_add(worker->control, selector, group,
							      member, weight);
}

static int fill_table(struct swx_worker *worker, const char *named)
{
	const char *path = strchr(named, '=') + 1;
	char line[LINE_BYTES], table[RTE_SWX_NAME_SIZE];
	uint32_t groups = 0;
	int error = 0, number;
	FILE *file;

	snprintf(table, sizeof(table), "%.*s", (int)(path - 1 - named), named);
	file = fopen(path, "re");
	if (!file) {
		fprintf(stderr, "table=%s: %s; name a readable file\n", named, strerror(errno));
		return -EINVAL;
	}
	for (number = 1; !error && fgets(line, sizeof(line), file); number++)
		if (!strchr(line, '\n'))
			error = -E2BIG;
		else if (!strncmp(line, "group ", 6))
			error = add_member(worker, table, line, &groups);
		else
			error = add_entry(worker, table, line);
	if (error)
		fprintf(stderr, "table=%s: line %d of %s is not an entry of it; correct it\n",
			table, number - 1, path);
	fclose(file);
	return error;
}

static int fill_tables(struct swx_worker *worker, const struct swx_options *options)
{
	int i, error = 0;

	for (i = 0; !error && i < options->tables_count; i++)
		error = fill_table(worker, options->tables[i]);
	if (error)
		return error;
	error = rte_swx_ctl_pipeline_commit(worker->control, 1);
	if (error)
		runner_complain("table entries", error);
	return error;
}

static int note_thread(void *context)
{
	struct swx_worker *worker = context;
	char path[64];

	worker->thread_id = gettid();
	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", worker->thread_id);
	worker->schedstat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (worker->schedstat_fd < 0)
		return -errno;
	return -pthread_getcpuclockid(pthread_self(), &worker->clock);
}

int swx_worker_open_port(struct swx_worker *worker, const struct swx_options *options, int number)
{
	int error;

	worker->number = number;
	worker->last_port = options->last_port;
	worker->quantum_instructions = options->quantum_instructions;
	worker->empty_poll_cycles = NAN;
	error = swx_lane_open(&worker->lane, options, number);
	if (!error)
		error = swx_flows_open(&worker->lane, options, number);
	return error ? error : swx_replay_open(&worker->lane, options);
}

int swx_worker_open(struct swx_worker *worker, const struct swx_options *options,
		    const char *library)
{
	int error = open_pipeline(worker, options, library);

	if (!error)
		error = fill_tables(worker, options);
	if (!error)
		error = rte_eal_remote_launch(note_thread, worker, worker->number + 1);
	return error ? error : rte_eal_wait_lcore(worker->number + 1);
}

/*
 * DPDK's own application never flushes: at a low load packets stay with it until a burst
 * is full. A flush costs nothing where bursts fill up between two of them.
 */
static int work(void *context)
{
	struct swx_worker *worker = context;

	while (__atomic_load_n(&worker->running, __ATOMIC_RELAXED)) {
		rte_swx_pipeline_run(worker->pipeline, worker->quantum_instructions);
		rte_swx_pipeline_flush(worker->pipeline);
		if (__atomic_load_n(&worker->stretches.timed, __ATOMIC_RELAXED))
			swx_time_stretch(&worker->stretches, worker->pipeline,
					 worker->lane.replayed);
	}
	return 0;
}

int swx_worker_start(struct swx_worker *worker)
{
	int error;

	__atomic_store_n(&worker->running, 1, __ATOMIC_RELAXED);
	error = rte_eal_remote_launch(work, worker, worker->number + 1);
	if (error)
		runner_complain("worker", error);
	return error;
}

void swx_worker_stop(struct swx_worker *worker)
{
	__atomic_store_n(&worker->running, 0, __ATOMIC_RELAXED);
	rte_eal_wait_lcore(worker->number + 1);
}

/* What others took of the core only adds: the shortest of some windows has least of it. */
int swx_worker_time_empty_polls(struct swx_worker *worker)
{
	struct swx_counts begin, end;
	int window, error = swx_worker_start(worker);
	double cycles;

	for (window = 0; !error && window < EMPTY_POLL_WINDOWS; window++) {
		swx_worker_read(worker, &begin);
		usleep(EMPTY_POLL_US);
		swx_worker_read(worker, &end);
		if (end.in != begin.in || end.empty_polls == begin.empty_polls)
			continue;
		cycles = (double)(end.at_cycles - begin.at_cycles) /
			 (end.empty_polls - begin.empty_polls);
		/* The first window has nothing to be compared with. */
		worker->empty_poll_cycles = fmin(worker->empty_poll_cycles, cycles);
	}
	swx_worker_stop(worker);
	return error;
}

/* A thread's own clock goes on where the scheduler counts its time but at the next tick. */
static void read_clock(clockid_t clock, uint64_t *run_ns)
{
	struct timespec ran;

	if (!clock_gettime(clock, &ran))
		*run_ns = (uint64_t)ran.tv_sec * 1000000000 + ran.tv_nsec;
}

static uint64_t read_ends(const struct swx_worker *worker)
{
	uint64_t packets = 0, port;

	for (port = 1; port <= worker->last_port; port++) {
		struct rte_swx_port_out_stats end = {};

		rte_swx_ctl_pipeline_port_out_stats_read(worker->pipeline, port, &end);
		packets += end.n_pkts_drop;
	}
	return packets;
}

void swx_worker_read(const struct swx_worker *worker, struct swx_counts *counts)
{
	struct rte_swx_port_out_stats out = {};
	struct rte_swx_port_in_stats in = {};

	rte_swx_ctl_pipeline_port_in_stats_read(worker->pipeline, 0, &in);
	rte_swx_ctl_pipeline_port_out_stats_read(worker->pipeline, 0, &out);
	*counts = (struct swx_counts){
		.at_cycles = rte_rdtsc(),
		.in = in.n_pkts,
		.out = out.n_pkts,
		.program_drops = read_ends(worker),
		.tx_drops = out.n_pkts_drop,
		.empty_polls = in.n_empty,
	};
	swx_read_schedstat(worker->schedstat_fd, &counts->run_ns, &counts->wait_ns);
	read_clock(worker->clock, &counts->run_ns);
}
