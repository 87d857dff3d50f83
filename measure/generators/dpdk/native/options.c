// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "options.h"

#define CORE_MAX   127 /* as many lcores as DPDK is built for */
#define AT(member) offsetof(struct dpdk_options, member)

static const char *set_port(const char *text, void *to)
{
	struct dpdk_options *options = to;

	if (!strcmp(text, "af_packet"))
		options->device.port = SWX_AF_PACKET;
	else if (!strcmp(text, "pci"))
		options->device.port = SWX_PCI;
	else
		return "no packet leaves this process by it";
	return NULL;
}

static const struct option_row rows[] = {
	{ "port", OPTION_PARSED, .unit = "KIND",
	  .help = "what sends, one of the kernel's or a card", .needed = 1,
	  .allowed = "af_packet or pci", .parse = set_port },
	{ "device", OPTION_TEXT, AT(device.device), "NAME",
	  .help = "the interface, or the PCI address of a card bound to vfio-pci", .needed = 1 },
	{ "core", OPTION_COUNT, AT(device.main_core), "N", .help = "core that sends and receives",
	  .needed = 1, .maximum = CORE_MAX },
	{ "load", OPTION_TEXT, AT(load_flags), "FLAGS", .help = "what is sent: see --load --help",
	  .needed = 1 },
	{ "burst-packets", OPTION_COUNT, AT(device.burst_packets), "N",
	  .help = "packets sent at once, at most", .preset = "32", .minimum = 1,
	  .maximum = SWX_BURST_MAX },
	{ "ring-packets", OPTION_COUNT, AT(device.ring_packets), "N",
	  .help = "places of either ring of the device", .preset = "2048", .minimum = 64,
	  .maximum = 1 << 16 },
	{ "memory-mib", OPTION_COUNT, AT(device.memory_mib), "N", .help = "memory for packets",
	  .preset = "256", .minimum = 64, .maximum = 1 << 20 },
	{ "hugepages", OPTION_FLAG, AT(device.hugepages), .help = "use them; else ordinary pages" },
	{ "veth", OPTION_FLAG, AT(is_veth),
	  .help = "the device is one: it gets a program that passes frames on, without which it "
		  "takes none that XDP sends" },
	{},
};

const struct option_table dpdk_table = {
	.program = "dpdk_traffic",
	.about = "Sends packets by DPDK for some time, takes back what returns, and prints what it "
		 "counted\nas one line of JSON.\n",
	.example = "dpdk_traffic --port af_packet --device eth1 --core 0 \\\n"
		   "        --load \"--seconds 1 --arrivals constant --packets-per-second 1e6\"\n",
	.rows = rows,
};

enum option_outcome dpdk_parse_options(int argc, char **argv, struct dpdk_options *options)
{
	enum option_outcome outcome = options_parse(&dpdk_table, argc, argv, options, NULL);

	if (outcome != OPTIONS_READ)
		return outcome;
	outcome = swx_check_device(&options->device);
	if (outcome == OPTIONS_READ)
		outcome = swx_load_parse(options->load_flags, &options->load);
	if (outcome == OPTIONS_HELP)
		options_print_usage(&swx_load_table, stderr);
	/* One thread does all; DPDK has the device as that of a worker. */
	options->device.worker_cores.values[0] = options->device.main_core;
	options->device.worker_cores.count = 1;
	options->device.null_frame_bytes = SWX_FRAME_MIN;
	options->device.flows = 1;
	return outcome == OPTIONS_HELP ? OPTIONS_REFUSED : outcome;
}
