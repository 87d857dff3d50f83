// SPDX-License-Identifier: Apache-2.0
/*
 * A service function in user space, a virtual wire: sends back what comes in. One
 * thread, pinned; the main thread answers lines on standard input with counts.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/nsh/nsh.h"
#include "function.h"
#include "common/hold.h"
#include "common/options.h"
#include "common/runner.h"

#define CORES_MAX 1024

#define AT(member) offsetof(struct chain_options, member)

static const struct option_row rows[] = {
	{ "dev", OPTION_TEXT, AT(device), "NAME", .help = "interface that packets come in by",
	  .needed = 1 },
	{ "core", OPTION_COUNT, AT(core), "N", .help = "of the thread that sends them back",
	  .needed = 1, .maximum = CORES_MAX - 1 },
	{ "out-dev", OPTION_TEXT, AT(out_device), "NAME", .help = "interface that they leave by" },
	{ "pins", OPTION_TEXT, AT(pins), "DIR", .help = "folder of the stages' maps" },
	{ "nsh-aware", OPTION_FLAG, AT(nsh_aware), .help = "take packets in NSH" },
	{ "batch-packets", OPTION_COUNT, AT(batch_packets), "N", .help = "most taken at once",
	  .preset = "64", .minimum = 1, .maximum = CHAIN_BATCH_MAX },
	{ "work-ns", OPTION_COUNT, AT(work_ns), "NS", .help = "taken with each packet",
	  .maximum = NSH_WORK_NS_MAX },
	{},
};

static const struct option_table table = {
	.program = "chain_function_*",
	.about = "Sends back what comes in by --dev until standard input closes; a line on it is "
		 "answered\nwith counts in JSON.\n",
	.example = "chain_function_raw --dev uplink --core 1\n",
	.rows = rows,
};

/* 1 to send it on, 0 when its index is used up. */
static int count_function(struct chain_function *function, struct nsh_base *nsh)
{
	uint32_t path = ntohl(nsh->path);

	if ((path & 0xff) <= 1) {
		chain_add(&function->counts.si_out, 1);
		return 0;
	}
	nsh->path = htonl(path - 1);
	return 1;
}

/* Stand in for a function that takes time of its own: work until it is over. */
static void work(uint64_t work_ns)
{
	uint64_t until_ns = work_ns ? runner_now_ns() + work_ns : 0;

	while (work_ns && runner_now_ns() < until_ns)
		continue;
}

int chain_serve(struct chain_function *function, void *packet, uint32_t bytes)
{
	struct ethhdr *eth = packet;
	int nsh_aware = function->options.nsh_aware;

	if (bytes < sizeof(*eth) + (nsh_aware ? sizeof(struct nsh_base) : 0) ||
	    eth->h_proto != htons(nsh_aware ? NSH_ETHERTYPE : ETH_P_IP) || eth->h_dest[0] & 1) {
		chain_add(&function->counts.skipped, 1);
		return 0;
	}
	chain_add(&function->counts.received, 1);
	work(function->options.work_ns);
	return nsh_aware ? count_function(function, (void *)(eth + 1)) : 1;
}

static int print_counts(void *of)
{
	struct chain_function *function = of;
	struct chain_counts *counts = &function->counts;
	uint64_t lost;
	int error = chain_take_lost(function, &lost);

	if (error)
		return error;
	function->lost += lost;
	printf("{\"thread\": %d, \"received\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"skipped\": %" PRIu64 ", \"si\": %" PRIu64 ", \"unsent\": %" PRIu64
	       ", \"socket\": %" PRIu64 "}\n",
	       function->thread_id, atomic_load(&counts->received), atomic_load(&counts->sent),
	       atomic_load(&counts->skipped), atomic_load(&counts->si_out),
	       atomic_load(&counts->unsent), function->lost);
	return 0;
}

static void *carry(void *argument)
{
	struct chain_function *function = argument;

	function->thread_id = gettid();
	printf("{\"ready\": true}\n");
	fflush(stdout);
	runner_complain("chain_function", chain_run(function));
	exit(RUNNER_SETUP); /* a chain with a hole is not a chain: the owner sees us end */
}

int main(int argc, char **argv)
{
	static struct chain_function function;
	enum option_outcome outcome = options_parse(&table, argc, argv, &function.options, NULL);
	pthread_t thread;
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	runner_quiet_libbpf();
	runner_run_first();
	error = runner_die_with_parent();
	if (!error)
		error = runner_pin(function.options.core);
	if (!error)
		error = chain_open(&function);
	if (!error)
		error = -pthread_create(&thread, NULL, carry, &function);
	if (error) {
		runner_complain(function.options.device, error);
		return runner_exit_code(error);
	}
	error = hold(print_counts, &function);
	if (error)
		runner_complain("counts", error);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
