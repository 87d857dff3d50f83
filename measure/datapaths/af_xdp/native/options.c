// SPDX-License-Identifier: Apache-2.0
#include <linux/if_link.h>

#include "options.h"

#define CORE_MAX   4095
#define FD_MAX	   1048575
#define AT(member) offsetof(struct xsk_options, member)

static const char *const hooks[] = {
	[XSK_NATIVE] = "native", [XSK_GENERIC] = "generic", [XSK_GENERIC + 1] = NULL
};
static const char *const sockets[] = { "per_queue", "queue_0", NULL };

static const struct option_row rows[] = {
	{ "object", OPTION_TEXT, AT(object), "FILE.bpf.o", .help = "the redirecting program",
	  .needed = 1 },
	{ "dev", OPTION_TEXT, AT(device), "NAME", .help = "interface that frames come in by",
	  .needed = 1 },
	{ "cores", OPTION_LIST, AT(cores), "LIST", .help = "one thread on each, for one queue each",
	  .needed = 1, .maximum = CORE_MAX, .values_max = XSK_REDIRECT_QUEUES_MAX },
	{ "hook", OPTION_CHOICE, AT(hook), "NAME", .help = "where the program is attached",
	  .preset = "native", .names = hooks },
	{ "sockets", OPTION_CHOICE, AT(queue_0_only), "KIND",
	  .help = "queue_0: one socket for all, on queue 0", .preset = "per_queue",
	  .names = sockets },
	{ "memory-accesses", OPTION_COUNT, AT(memory_accesses), "N",
	  .help = "six-byte copies for each packet", .preset = "0", .maximum = 1 << 23 },
	{ "function", OPTION_TEXT, AT(function), "FILE.so",
	  .help = "a shared object of one's own, which says what becomes of each frame" },
	{ "entry", OPTION_TEXT, AT(entry), "NAME", .help = "its function; with --function" },
	{ "batch-packets", OPTION_COUNT, AT(batch_packets), "N",
	  .help = "packets taken from a ring at once", .preset = "64", .minimum = 1,
	  .maximum = XSK_BATCH_PACKETS_MAX },
	{ "zero-copy", OPTION_FLAG, AT(zero_copy),
	  .help = "the driver writes to the socket's memory; else it is copied" },
	{ "need-wakeup", OPTION_FLAG, AT(need_wakeup),
	  .help = "ask the kernel for work only where it says that it must be" },
	{ "busy-poll", OPTION_FLAG, AT(busy_poll),
	  .help = "poll the device from the thread and never sleep" },
	{ "wake-fds", OPTION_LIST, AT(wake_fds), "LIST",
	  .help = "event counters, one a core: raised when all is sent", .maximum = FD_MAX,
	  .values_max = XSK_REDIRECT_QUEUES_MAX },
	{},
};

const struct option_table xsk_table = {
	.program = "xsk_forward",
	.about = "Forwards frames by AF_XDP sockets, one for each queue, until standard input "
		 "closes. Prints\none JSON line when ready, one of counts for each line read and "
		 "one at the end.\n",
	.example = "xsk_forward --object xsk_redirect.bpf.o --dev dut --cores 1 --need-wakeup\n",
	.rows = rows,
};

unsigned int xsk_attach_flags(const struct xsk_options *options)
{
	return options->hook == XSK_NATIVE ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE;
}

enum option_outcome xsk_parse_options(int argc, char **argv, struct xsk_options *options)
{
	enum option_outcome outcome = options_parse(&xsk_table, argc, argv, options, NULL);

	if (outcome != OPTIONS_READ)
		return outcome;
	if (options->queue_0_only && options->cores.count != 1)
		return options_refuse("cores", "", "one socket has one thread", "one core",
				      "name one");
	if (!options->function != !options->entry)
		return options_refuse("entry", options->entry ? options->entry : "",
				      "file and function go together",
				      "both --function and --entry, or none", "correct it");
	if (options->wake_fds.count && options->wake_fds.count != options->cores.count)
		return options_refuse("wake-fds", "", "their number is another than that of cores",
				      "one for each of --cores, or none", "correct it");
	if (options->busy_poll && options->hook == XSK_GENERIC)
		return options_refuse("busy-poll", "true", "the generic hook names no NAPI to poll",
				      "with --hook native", "use that, or leave it out");
	return OPTIONS_READ;
}
