// SPDX-License-Identifier: Apache-2.0
/*
 * A service function in user space, a virtual wire: sends back what comes in. One
 * thread, pinned; the main thread answers lines on standard input with counts.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/nsh.h"
#include "function.h"
#include "common/hold.h"
#include "common/runner.h"

#define CORES_MAX 1024

static const char usage[] =
	"Usage: chain_function_* --dev NAME --core N [--out-dev NAME] [--pins DIR] [--nsh-aware]\n"
	"                        [--batch-packets N]\n"
	"Sends back what comes in by --dev until standard input closes; a line on it is answered\n"
	"with counts in JSON.\n"
	"Example: chain_function_raw --dev uplink --core 1\n";

static const struct option known[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "out-dev", required_argument, NULL, 'o' },
	{ "pins", required_argument, NULL, 'p' },
	{ "core", required_argument, NULL, 'c' },
	{ "nsh-aware", no_argument, NULL, 'a' },
	{ "batch-packets", required_argument, NULL, 'b' },
	{},
};

static int parse_number(const char *text, double min, double max, int *value)
{
	double number;

	if (runner_parse_number(text, min, max, &number) || number != (int)number)
		return -EINVAL;
	*value = number;
	return 0;
}

static int parse_one(int key, const char *text, struct chain_options *options)
{
	switch (key) {
	case 'd':
		options->device = text;
		return 0;
	case 'o':
		options->out_device = text;
		return 0;
	case 'p':
		options->pins = text;
		return 0;
	case 'c':
		return parse_number(text, 0, CORES_MAX - 1, &options->core);
	case 'a':
		options->nsh_aware = 1;
		return 0;
	case 'b':
		return parse_number(text, 1, CHAIN_BATCH_MAX, &options->batch_packets);
	default:
		return -EINVAL;
	}
}

int chain_parse_options(int argc, char **argv, struct chain_options *options)
{
	int key;

	while ((key = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (parse_one(key, optarg, options))
			return -EINVAL;
	return options->device && options->core >= 0 && optind == argc ? 0 : -EINVAL;
}

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
	return nsh_aware ? count_function(function, (void *)(eth + 1)) : 1;
}

static void print_counts(void *of)
{
	struct chain_function *function = of;
	struct chain_counts *counts = &function->counts;

	function->lost += chain_take_lost(function);
	printf("{\"thread\": %d, \"received\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"skipped\": %" PRIu64 ", \"si\": %" PRIu64 ", \"unsent\": %" PRIu64
	       ", \"socket\": %" PRIu64 "}\n",
	       function->thread_id, atomic_load(&counts->received), atomic_load(&counts->sent),
	       atomic_load(&counts->skipped), atomic_load(&counts->si_out),
	       atomic_load(&counts->unsent), function->lost);
}

static void *carry(void *argument)
{
	struct chain_function *function = argument;

	function->thread_id = gettid();
	printf("{\"ready\": true}\n");
	fflush(stdout);
	runner_complain("chain_function", chain_run(function));
	exit(RUNNER_SETUP); /* a chain with a hole is no chain: the owner sees us end */
}

int main(int argc, char **argv)
{
	static struct chain_function function = { .options = { .core = -1,
							       .batch_packets = CHAIN_BATCH_MAX } };
	pthread_t thread;
	int error;

	if (chain_parse_options(argc, argv, &function.options)) {
		fputs(usage, stderr);
		return RUNNER_USAGE;
	}
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
	chain_hold(print_counts, &function);
	return RUNNER_DONE;
}
