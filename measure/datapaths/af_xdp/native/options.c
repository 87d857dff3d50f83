// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_link.h>

#include "common/runner.h"
#include "options.h"

#define CORE_MAX 4095
#define FD_MAX	 1048575

const char xsk_usage[] =
	"Usage: xsk_forward --object FILE.bpf.o --dev NAME --cores LIST [options]\n"
	"Forwards frames by AF_XDP sockets, one for each queue, until standard input closes. Prints\n"
	"one JSON line when ready, one of counts for each line read and one at the end.\n"
	"  --hook native|generic    where the redirecting program is attached (default native)\n"
	"  --sockets per_queue|queue_0  queue_0: one socket for all, on queue 0 (default per_queue)\n"
	"  --memory-accesses N      six-byte copies for each packet (default 0)\n"
	"  --batch-packets N        packets taken from a ring at once, 1..256 (default 64)\n"
	"  --zero-copy              the driver writes to the socket's memory; else it is copied\n"
	"  --need-wakeup            ask the kernel for work only where it says that it must be\n"
	"  --busy-poll              poll the device from the thread and never sleep\n"
	"  --turn-fds LIST          event counters, one a core: raised when all is sent\n"
	"Example: xsk_forward --object xsk_redirect.bpf.o --dev dut --cores 1 --need-wakeup\n";

enum option_key {
	OBJECT = 1,
	DEV,
	CORES,
	HOOK,
	SOCKETS,
	MEMORY_ACCESSES,
	BATCH,
	TURN_FDS,
	ZERO_COPY,
	NEED_WAKEUP,
	BUSY_POLL,
};

static const struct option known[] = {
	{ "object", required_argument, NULL, OBJECT },
	{ "dev", required_argument, NULL, DEV },
	{ "cores", required_argument, NULL, CORES },
	{ "hook", required_argument, NULL, HOOK },
	{ "sockets", required_argument, NULL, SOCKETS },
	{ "memory-accesses", required_argument, NULL, MEMORY_ACCESSES },
	{ "batch-packets", required_argument, NULL, BATCH },
	{ "turn-fds", required_argument, NULL, TURN_FDS },
	{ "zero-copy", no_argument, NULL, ZERO_COPY },
	{ "need-wakeup", no_argument, NULL, NEED_WAKEUP },
	{ "busy-poll", no_argument, NULL, BUSY_POLL },
	{},
};

static int parse_hook(const char *text, unsigned int *flags)
{
	if (!strcmp(text, "native"))
		*flags = XDP_FLAGS_DRV_MODE;
	else if (!strcmp(text, "generic"))
		*flags = XDP_FLAGS_SKB_MODE;
	else
		return -EINVAL;
	return 0;
}

static int parse_sockets(const char *text, int *queue_0_only)
{
	*queue_0_only = !strcmp(text, "queue_0");
	return *queue_0_only || !strcmp(text, "per_queue") ? 0 : -EINVAL;
}

static int parse_list(const char *text, long max, long *values, int *count)
{
	*count = runner_parse_list(text, 0, max, values, XSK_REDIRECT_QUEUES_MAX);
	return *count < 0 ? *count : 0;
}

static int parse_one(enum option_key key, const char *text, struct xsk_options *options)
{
	switch (key) {
	case OBJECT:
		options->object = text;
		return 0;
	case DEV:
		options->device = text;
		return 0;
	case CORES:
		return parse_list(text, CORE_MAX, options->cores, &options->cores_count);
	case TURN_FDS:
		return parse_list(text, FD_MAX, options->turn_fds, &options->turn_fds_count);
	case HOOK:
		return parse_hook(text, &options->attach_flags);
	case SOCKETS:
		return parse_sockets(text, &options->queue_0_only);
	case MEMORY_ACCESSES:
		return runner_parse_number(text, 0, 1 << 23, &options->memory_accesses);
	case BATCH:
		return runner_parse_number(text, 1, XSK_BATCH_PACKETS_MAX, &options->batch_packets);
	case ZERO_COPY:
		options->zero_copy = 1;
		return 0;
	case NEED_WAKEUP:
		options->need_wakeup = 1;
		return 0;
	case BUSY_POLL:
		options->busy_poll = 1;
		return 0;
	}
	return -EINVAL;
}

static int check(const struct xsk_options *options)
{
	if (!options->object || !options->device || !options->cores_count)
		runner_complain("--object, --dev and --cores are needed", 0);
	else if (options->queue_0_only && options->cores_count != 1)
		runner_complain("--cores: one socket has one thread; name one core", 0);
	else if (options->turn_fds_count && options->turn_fds_count != options->cores_count)
		runner_complain("--turn-fds: one for each of --cores, or none", 0);
	else if (options->busy_poll && options->attach_flags != XDP_FLAGS_DRV_MODE)
		runner_complain("--busy-poll: the generic hook names no NAPI to poll; use native",
				0);
	else
		return 0;
	return -EINVAL;
}

int xsk_parse_options(int argc, char **argv, struct xsk_options *options)
{
	int key;

	*options = (struct xsk_options){
		.attach_flags = XDP_FLAGS_DRV_MODE,
		.batch_packets = 64,
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
