// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "common/runner.h"
#include "ports/flows.h"
#include "options.h"

#define CORE_MAX	       127 /* as many lcores as DPDK is built for */
#define PCI_ADDRESS_CHARACTERS 12

const char swx_usage[] =
	"Usage: swx_run --library FILE.so --port null|ring|memif|af_xdp|pci --worker-cores LIST\n"
	"Runs a pipeline of DPDK's SWX, one instance on each worker core, until standard input\n"
	"closes. Prints one JSON line when ready, and one for each line read:\n"
	"  trial --seconds S [...]    offer a load once and count; swx_run trial --help\n"
	"  packet HEX                 send one packet through, print what comes out\n"
	"  register NAME FIRST COUNT  values of each instance's registers\n"
	"  table NAME                 hits, misses and actions of each instance's table\n"
	"  counts                     of the ports since the beginning\n"
	"  (an empty line)            what was counted since the last one\n"
	"  --main-core N            core of generator and sink (default 0)\n"
	"  --device NAME            the kernel's device with --port af_xdp, the PCI address of\n"
	"                           a card bound to vfio-pci with --port pci\n"
	"  --table NAME=FILE        entries of a table, as DPDK writes them; more than once\n"
	"  --burst-packets N        packets taken and given at once, 1..64 (default 32)\n"
	"  --ring-packets N         size of each ring, a power of 2 (default 512)\n"
	"  --quantum-instructions N run between two flushes (default 1000)\n"
	"  --frame-bytes N          of packets of --port null, FCS included (default 64)\n"
	"  --flows N                distinct packets of --port null (default 1)\n"
	"  --memory-channels N      what DPDK spreads its objects over (default: it decides)\n"
	"  --memory-mib N           (default 256)\n"
	"  --hugepages              use them; else ordinary pages\n"
	"  --oversubscribe          let instances share cores\n"
	"Example: swx_run --library a.so --port ring --worker-cores 1\n";

enum option_key {
	LIBRARY = 1,
	PORT,
	WORKER_CORES,
	MAIN_CORE,
	DEVICE,
	TABLE,
	BURST,
	RING,
	QUANTUM,
	FRAME_BYTES,
	FLOWS,
	CHANNELS,
	MEMORY,
	HUGEPAGES,
	OVERSUBSCRIBE,
};

static const struct option known[] = {
	{ "library", required_argument, NULL, LIBRARY },
	{ "port", required_argument, NULL, PORT },
	{ "worker-cores", required_argument, NULL, WORKER_CORES },
	{ "main-core", required_argument, NULL, MAIN_CORE },
	{ "device", required_argument, NULL, DEVICE },
	{ "table", required_argument, NULL, TABLE },
	{ "burst-packets", required_argument, NULL, BURST },
	{ "ring-packets", required_argument, NULL, RING },
	{ "quantum-instructions", required_argument, NULL, QUANTUM },
	{ "frame-bytes", required_argument, NULL, FRAME_BYTES },
	{ "flows", required_argument, NULL, FLOWS },
	{ "memory-channels", required_argument, NULL, CHANNELS },
	{ "memory-mib", required_argument, NULL, MEMORY },
	{ "hugepages", no_argument, NULL, HUGEPAGES },
	{ "oversubscribe", no_argument, NULL, OVERSUBSCRIBE },
	{},
};

static int parse_port(const char *text, enum swx_port *port)
{
	static const char *const names[] = { "null", "ring", "memif", "af_xdp", "pci", NULL };
	int place = runner_parse_name(text, names);

	*port = place < 0 ? SWX_NULL : place;
	return place < 0 ? place : 0;
}

static int parse_cores(const char *text, struct swx_options *options)
{
	options->workers =
		runner_parse_list(text, 0, CORE_MAX, options->worker_cores, SWX_WORKERS_MAX);
	return options->workers < 0 ? options->workers : 0;
}

static int parse_main_core(const char *text, long *core)
{
	return runner_parse_list(text, 0, CORE_MAX, core, 1) < 0 ? -EINVAL : 0;
}

static int add_table(const char *text, struct swx_options *options)
{
	if (options->tables_count == SWX_TABLES_MAX || !strchr(text, '='))
		return -EINVAL;
	options->tables[options->tables_count++] = text;
	return 0;
}

static int parse_count(enum option_key key, const char *text, struct swx_options *options)
{
	switch (key) {
	case BURST:
		return runner_parse_number(text, 1, SWX_BURST_MAX, &options->burst_packets);
	case RING:
		return runner_parse_number(text, 64, 1 << 16, &options->ring_packets);
	case QUANTUM:
		return runner_parse_number(text, 1, 1e6, &options->quantum_instructions);
	case FRAME_BYTES:
		return runner_parse_number(text, 64, 1518, &options->null_frame_bytes);
	case FLOWS:
		return runner_parse_number(text, 1, SWX_FLOWS_MAX, &options->flows);
	case CHANNELS:
		return runner_parse_number(text, 1, 32, &options->memory_channels);
	case MEMORY:
		return runner_parse_number(text, 64, 1 << 20, &options->memory_mib);
	default:
		return -EINVAL;
	}
}

static int parse_one(enum option_key key, const char *text, struct swx_options *options)
{
	switch (key) {
	case LIBRARY:
		options->library = text;
		return 0;
	case PORT:
		return parse_port(text, &options->port);
	case WORKER_CORES:
		return parse_cores(text, options);
	case MAIN_CORE:
		return parse_main_core(text, &options->main_core);
	case DEVICE:
		options->device = text;
		return 0;
	case TABLE:
		return add_table(text, options);
	case HUGEPAGES:
		options->hugepages = 1;
		return 0;
	case OVERSUBSCRIBE:
		options->oversubscribe = 1;
		return 0;
	default:
		return parse_count(key, text, options);
	}
}

/* Generator and sink of rings and memif never rest: with them a core has enough. */
static int share_a_core(const struct swx_options *options)
{
	int i, j;

	for (i = 0; i < options->workers; i++) {
		if ((options->port == SWX_RING || options->port == SWX_MEMIF) &&
		    options->worker_cores[i] == options->main_core)
			return 1;
		for (j = 0; j < i; j++)
			if (options->worker_cores[i] == options->worker_cores[j])
				return 1;
	}
	return 0;
}

/* A name beside it would reach DPDK as a device's arguments. */
static int is_pci_address(const char *text)
{
	unsigned int domain, bus, device, function;
	int used = 0;

	return strlen(text) == PCI_ADDRESS_CHARACTERS &&
	       strspn(text, "0123456789abcdef:.") == PCI_ADDRESS_CHARACTERS &&
	       sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &used) == 4 &&
	       used == PCI_ADDRESS_CHARACTERS;
}

static int is_device_name(const char *text)
{
	return *text && strlen(text) < IF_NAMESIZE && !strpbrk(text, ",=:/ ");
}

static int check(const struct swx_options *options)
{
	int ring = options->ring_packets;

	if (!options->library || !options->workers)
		runner_complain("--library and --worker-cores are needed", 0);
	else if (swx_is_fed_from_outside(options->port) != !!options->device)
		runner_complain("--device: goes with --port af_xdp or pci, and only with them", 0);
	else if (options->port == SWX_PCI && !is_pci_address(options->device))
		fprintf(stderr, "--device=%s: no PCI address; write it as 0000:3b:00.0\n",
			options->device);
	else if (options->port == SWX_AF_XDP && !is_device_name(options->device))
		fprintf(stderr, "--device=%s: no name of a kernel's device\n", options->device);
	else if (ring & (ring - 1))
		runner_complain("--ring-packets: DPDK's rings hold a power of 2", 0);
	else if (share_a_core(options) && !options->oversubscribe)
		runner_complain("--worker-cores: two polling threads on one core; "
				"name others, or --oversubscribe",
				0);
	else
		return 0;
	return -EINVAL;
}

int swx_parse_options(int argc, char **argv, struct swx_options *options)
{
	int key;

	*options = (struct swx_options){
		.burst_packets = 32,
		.ring_packets = 512,
		.quantum_instructions = 1000,
		.memory_mib = 256,
		.null_frame_bytes = 64,
		.flows = 1,
	};
	while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (key == '?')
			return -EINVAL;
		if (parse_one(key, optarg, options)) {
			fprintf(stderr, "--%s: cannot be \"%s\"\n", known[key - 1].name, optarg);
			return -EINVAL;
		}
	}
	return check(options);
}
