// SPDX-License-Identifier: Apache-2.0
#include <net/if.h>
#include <string.h>

#include "options.h"

#define CORE_MAX	       127 /* as many lcores as DPDK is built for */
#define PCI_ADDRESS_CHARACTERS 12
#define AT(member)	       offsetof(struct swx_options, member)

static const char *add_table(const char *text, void *to)
{
	struct swx_options *options = to;

	if (options->tables_count == SWX_TABLES_MAX)
		return "too many of them";
	if (!strchr(text, '='))
		return "it names no file";
	options->tables[options->tables_count++] = text;
	return NULL;
}

static const char *const ports[] = {
	[SWX_NULL] = "null",	 [SWX_RING] = "ring", [SWX_MEMIF] = "memif",
	[SWX_AF_XDP] = "af_xdp", [SWX_PCI] = "pci",   [SWX_PCI + 1] = NULL,
};

static const struct option_row rows[] = {
	{ "library", OPTION_TEXT, AT(library), "FILE.so", .help = "the compiled pipeline",
	  .needed = 1 },
	{ "library-sha256", OPTION_TEXT, AT(library_sha256), "HEX",
	  .help = "of what swx_build made; nothing else is loaded", .needed = 1 },
	{ "worker-cores", OPTION_LIST, AT(worker_cores), "LIST",
	  .help = "one instance of the pipeline on each", .needed = 1, .maximum = CORE_MAX },
	{ "port", OPTION_CHOICE, AT(port), "KIND", .help = "where packets come from",
	  .preset = "null", .names = ports },
	{ "main-core", OPTION_COUNT, AT(main_core), "N", .help = "core of generator and sink",
	  .preset = "0", .maximum = CORE_MAX },
	{ "device", OPTION_TEXT, AT(device), "NAME",
	  .help = "the kernel's device with --port af_xdp, the PCI address of a card bound to "
		  "vfio-pci with --port pci" },
	{ "last-port", OPTION_COUNT, AT(last_port), "N",
	  .help = "last port that packets may be sent to: they end on all but port 0",
	  .preset = "1", .minimum = 1, .maximum = SWX_PORT_MAX },
	{ "table", OPTION_PARSED, .unit = "NAME=FILE",
	  .help = "entries of a table, or members of a selector, as DPDK has them; more "
		  "than once",
	  .allowed = "up to 32 times NAME=FILE", .parse = add_table },
	{ "burst-packets", OPTION_COUNT, AT(burst_packets), "N",
	  .help = "packets taken and given at once", .preset = "32", .minimum = 1,
	  .maximum = SWX_BURST_MAX },
	{ "ring-packets", OPTION_COUNT, AT(ring_packets), "N",
	  .help = "size of each ring, a power of 2", .preset = "512", .minimum = 64,
	  .maximum = 1 << 16 },
	{ "quantum-instructions", OPTION_COUNT, AT(quantum_instructions), "N",
	  .help = "run between two flushes", .preset = "1000", .minimum = 1, .maximum = 1000000 },
	{ "frame-bytes", OPTION_COUNT, AT(null_frame_bytes), "N",
	  .help = "of packets of --port null, FCS included", .preset = "64",
	  .minimum = SWX_FRAME_MIN, .maximum = SWX_FRAME_MAX },
	{ "flows", OPTION_COUNT, AT(flows), "N", .help = "distinct packets of --port null",
	  .preset = "1", .minimum = 1, .maximum = SWX_FLOWS_MAX },
	{ "frames", OPTION_TEXT, AT(frames), "FILE",
	  .help = "frames and their order that --port null gives, instead of its own" },
	{ "header-bytes", OPTION_COUNT, AT(header_bytes), "N",
	  .help = "first bytes of each frame that a pipeline can look at", .preset = "2044",
	  .minimum = 14, .maximum = 2044 },
	{ "memory-channels", OPTION_COUNT, AT(memory_channels), "N",
	  .help = "what DPDK spreads its objects over; it decides where this is not named",
	  .minimum = 1, .maximum = 32 },
	{ "memory-mib", OPTION_COUNT, AT(memory_mib), "N", .help = "memory for packets and tables",
	  .preset = "256", .minimum = 64, .maximum = 1 << 20 },
	{ "hugepages", OPTION_FLAG, AT(hugepages), .help = "use them; else ordinary pages" },
	{ "oversubscribe", OPTION_FLAG, AT(oversubscribe), .help = "let instances share cores" },
	{},
};

const struct option_table swx_table = {
	.program = "swx_run",
	.about = "Runs a pipeline of DPDK's SWX, one instance on each worker core, until standard "
		 "input\ncloses. Prints one JSON line when ready, and one for each line read:\n"
		 "  trial --seconds S [...]    offer a load once and count; see trial --help\n"
		 "  packet HEX                 send one packet through, print what comes out\n"
		 "  register NAME FIRST COUNT  values of each instance's registers\n"
		 "  table NAME                 hits, misses and actions of each instance's table\n"
		 "  counts                     of the ports since the beginning\n"
		 "  (an empty line)            what was counted since the last one\n",
	.example = "swx_run --library a.so --library-sha256 $(sha256sum <a.so | cut -c-64) \\\n"
		   "        --port ring --worker-cores 1\n",
	.rows = rows,
};

/* Generator and sink of rings and memif never rest: with them a core has enough. */
static int share_a_core(const struct swx_options *options)
{
	const uint64_t *cores = options->worker_cores.values;
	int i, j;

	for (i = 0; i < swx_workers(options); i++) {
		if ((options->port == SWX_RING || options->port == SWX_MEMIF) &&
		    cores[i] == options->main_core)
			return 1;
		for (j = 0; j < i; j++)
			if (cores[i] == cores[j])
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
	return strlen(text) < IF_NAMESIZE && !strpbrk(text, ",=:/ ");
}

enum option_outcome swx_check_device(const struct swx_options *options)
{
	const char *device = options->device;

	if (!device != !swx_is_fed_from_outside(options->port))
		return options_refuse("device", device ? device : "",
				      "it goes with ports that are a device, and they with it",
				      "with --port af_xdp or pci", "correct one of them");
	if (options->port == SWX_PCI && !is_pci_address(device))
		return options_refuse("device", device, "no PCI address", "such as 0000:3b:00.0",
				      "correct it");
	if (options->port != SWX_PCI && device && !is_device_name(device))
		return options_refuse("device", device, "no name of a kernel's device",
				      "what `ip link` lists", "correct it");
	return OPTIONS_READ;
}

enum option_outcome swx_parse_options(int argc, char **argv, struct swx_options *options)
{
	enum option_outcome outcome = options_parse(&swx_table, argc, argv, options, NULL);

	if (outcome == OPTIONS_READ)
		outcome = swx_check_device(options);
	if (outcome != OPTIONS_READ)
		return outcome;
	if (options->ring_packets & (options->ring_packets - 1))
		return options_refuse("ring-packets", "", "not a power of 2", "64, 128, ... 65536",
				      "correct it");
	if (options->frames && (options->port != SWX_NULL || options->flows > 1))
		return options_refuse("frames", options->frames, "packets come from elsewhere",
				      "with --port null, without --flows", "leave one of them out");
	if (share_a_core(options) && !options->oversubscribe)
		return options_refuse("worker-cores", "", "two polling threads on one core",
				      "cores of their own", "name others, or --oversubscribe");
	return OPTIONS_READ;
}
