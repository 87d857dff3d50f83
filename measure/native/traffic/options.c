// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "common/runner.h"
#include "options.h"

#define FRAME_BYTES_MIN	    64
#define FCS_BYTES	    4
#define TCP_FRAME_BYTES_MIN ((long)sizeof(struct traffic_tcp_frame) + FCS_BYTES)
#define FRAME_BYTES_MAX	    3500 /* a live frame and its headroom share one page */
#define PID_MAX		    (1 << 22)
#define FD_MAX		    1048575

const char traffic_usage[] =
	"Usage: traffic --dev NAME --dut-dev NAME --dut-netns PATH --cores LIST [options]\n"
	"Sends live frames into --dev from one generator on each core, counts what comes back,\n"
	"prints one JSON line. Ends by itself.\n"
	"  --sink-dev NAME            where frames come back to, in the namespace of --dev\n"
	"                             (default --dev)\n"
	"  --dut-counts KIND          device, or none where no single device is under test\n"
	"                             (default device)\n"
	"  --frame-bytes LIST         sizes used in turn, FCS included (default 64)\n"
	"  --arrivals KIND            flood, constant or poisson (default flood)\n"
	"  --packets-per-second N     over all cores, for constant and poisson\n"
	"  --link-packets-per-second N  most that the imitated link carries (default: no limit)\n"
	"  --train-packets N          packets sent at once when due (default 1)\n"
	"  --batch-packets N          frames flushed together, 1..256 (default 64)\n"
	"  --flows N                  UDP source ports used in turn (default 1)\n"
	"  --protocol NAME            udp or tcp; tcp frames have 90 bytes or more (default udp)\n"
	"  --tcp-flags LETTERS        of FSRPAU, e.g. SR (default none)\n"
	"  --payload-prefix TEXT      first bytes of a tcp payload, up to 16 (default none)\n"
	"  --sources N                source addresses, one drawn for each packet (default 1)\n"
	"  --pass-foreign             let the sink pass what is not ours to the stack\n"
	"  --destination-mac MAC      of each frame (default 02:00:00:00:00:02)\n"
	"  --stamp                    stamp each frame and take its latency\n"
	"  --warm-up-seconds S        not counted (default 0.1)\n"
	"  --seconds S                counted (default 1)\n"
	"  --window-packets N         most frames on their way from one core (default: no limit)\n"
	"  --turn-fds LIST            event counters, one a core: raised when a window may be back\n"
	"  --mark-fd N                gets a line at either end of the counted time\n"
	"  --dut-threads LIST         process ids whose run time is taken\n"
	"Example: traffic --dev gen --dut-dev dut --dut-netns /proc/77/ns/net --cores 0 --stamp \\\n"
	"           --arrivals poisson --packets-per-second 500000 --batch-packets 1\n";

enum option_key {
	DEV = 1,
	SINK_DEV,
	DUT_DEV,
	DUT_NETNS,
	DUT_COUNTS,
	CORES,
	FRAME_BYTES,
	ARRIVALS,
	RATE,
	LINK_RATE,
	TRAIN,
	BATCH,
	FLOWS,
	PROTOCOL,
	TCP_FLAGS,
	PAYLOAD_PREFIX,
	SOURCES,
	PASS_FOREIGN,
	DESTINATION_MAC,
	STAMP,
	WARM_UP,
	SECONDS,
	DUT_THREADS,
	WINDOW,
	TURN_FDS,
	MARK_FD,
};

static const struct option known[] = {
	{ "dev", required_argument, NULL, DEV },
	{ "sink-dev", required_argument, NULL, SINK_DEV },
	{ "dut-dev", required_argument, NULL, DUT_DEV },
	{ "dut-netns", required_argument, NULL, DUT_NETNS },
	{ "dut-counts", required_argument, NULL, DUT_COUNTS },
	{ "cores", required_argument, NULL, CORES },
	{ "frame-bytes", required_argument, NULL, FRAME_BYTES },
	{ "arrivals", required_argument, NULL, ARRIVALS },
	{ "packets-per-second", required_argument, NULL, RATE },
	{ "link-packets-per-second", required_argument, NULL, LINK_RATE },
	{ "train-packets", required_argument, NULL, TRAIN },
	{ "batch-packets", required_argument, NULL, BATCH },
	{ "flows", required_argument, NULL, FLOWS },
	{ "protocol", required_argument, NULL, PROTOCOL },
	{ "tcp-flags", required_argument, NULL, TCP_FLAGS },
	{ "payload-prefix", required_argument, NULL, PAYLOAD_PREFIX },
	{ "sources", required_argument, NULL, SOURCES },
	{ "pass-foreign", no_argument, NULL, PASS_FOREIGN },
	{ "destination-mac", required_argument, NULL, DESTINATION_MAC },
	{ "stamp", no_argument, NULL, STAMP },
	{ "warm-up-seconds", required_argument, NULL, WARM_UP },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "dut-threads", required_argument, NULL, DUT_THREADS },
	{ "window-packets", required_argument, NULL, WINDOW },
	{ "turn-fds", required_argument, NULL, TURN_FDS },
	{ "mark-fd", required_argument, NULL, MARK_FD },
	{},
};

static int parse_arrivals(const char *text, enum traffic_arrivals *arrivals)
{
	static const char *const names[] = {
		[TRAFFIC_FLOOD] = "flood",
		[TRAFFIC_CONSTANT] = "constant",
		[TRAFFIC_POISSON] = "poisson",
		[TRAFFIC_POISSON + 1] = NULL,
	};
	int place = runner_parse_name(text, names);

	*arrivals = place < 0 ? TRAFFIC_FLOOD : place;
	return place < 0 ? place : 0;
}

static int parse_flags(const char *text, uint8_t *flags)
{
	static const char letters[] = "FSRPAU"; /* from bit 0 of the header's byte on */
	const char *found;

	for (*flags = 0; *text; text++) {
		found = strchr(letters, *text);
		if (!found)
			return -EINVAL;
		*flags |= 1 << (found - letters);
	}
	return 0;
}

static int parse_prefix(const char *text, char *prefix)
{
	const char *character;

	if (strlen(text) > TRAFFIC_PREFIX_BYTES)
		return -EINVAL;
	for (character = text; *character; character++)
		if (!isprint((unsigned char)*character))
			return -EINVAL;
	strcpy(prefix, text);
	return 0;
}

static int parse_count(int count, int *parsed)
{
	*parsed = count;
	return count < 0 ? count : 0;
}

static int parse_fd(const char *text, int *fd)
{
	double number;
	int error = runner_parse_number(text, 0, FD_MAX, &number);

	if (!error)
		*fd = number;
	return error;
}

static int parse_one(enum option_key key, const char *text, struct traffic_options *options)
{
	switch (key) {
	case DEV:
		options->device = text;
		return 0;
	case SINK_DEV:
		options->sink_device = text;
		return 0;
	case DUT_DEV:
		options->dut_device = text;
		return 0;
	case DUT_NETNS:
		options->dut_netns = text;
		return 0;
	case DUT_COUNTS:
		options->dut_uncounted = !strcmp(text, "none");
		return options->dut_uncounted || !strcmp(text, "device") ? 0 : -EINVAL;
	case CORES:
		return parse_count(runner_parse_list(text, 0, TRAFFIC_CORES_MAX - 1, options->cores,
						     TRAFFIC_CORES_MAX),
				   &options->cores_count);
	case FRAME_BYTES:
		return parse_count(runner_parse_list(text, FRAME_BYTES_MIN, FRAME_BYTES_MAX,
						     options->frame_bytes, TRAFFIC_SIZES_MAX),
				   &options->frame_bytes_count);
	case DUT_THREADS:
		return parse_count(runner_parse_list(text, 1, PID_MAX, options->dut_threads,
						     TRAFFIC_THREADS_MAX),
				   &options->dut_threads_count);
	case WINDOW:
		return runner_parse_number(text, 1, 1 << 16, &options->window_packets);
	case TURN_FDS:
		return parse_count(
			runner_parse_list(text, 0, FD_MAX, options->turn_fds, TRAFFIC_CORES_MAX),
			&options->turn_fds_count);
	case MARK_FD:
		return parse_fd(text, &options->mark_fd);
	case ARRIVALS:
		return parse_arrivals(text, &options->arrivals);
	case RATE:
		return runner_parse_number(text, 1, 1e9, &options->packets_per_second);
	case LINK_RATE:
		return runner_parse_number(text, 1, 1e9, &options->link_packets_per_second);
	case TRAIN:
		return runner_parse_number(text, 1, 1 << 20, &options->train_packets);
	case BATCH:
		return runner_parse_number(text, 1, 256, &options->batch_packets);
	case FLOWS:
		return runner_parse_number(text, 1, 60000, &options->flows);
	case PROTOCOL:
		options->protocol = strcmp(text, "tcp") ? TRAFFIC_UDP : TRAFFIC_TCP;
		return options->protocol == TRAFFIC_TCP || !strcmp(text, "udp") ? 0 : -EINVAL;
	case TCP_FLAGS:
		return parse_flags(text, &options->tcp_flags);
	case PAYLOAD_PREFIX:
		return parse_prefix(text, options->payload_prefix);
	case SOURCES:
		return runner_parse_number(text, 1, TRAFFIC_HOSTS_MAX, &options->sources);
	case PASS_FOREIGN:
		options->pass_foreign = 1;
		return 0;
	case DESTINATION_MAC:
		return ether_aton_r(text, &options->destination_mac) ? 0 : -EINVAL;
	case WARM_UP:
		return runner_parse_number(text, 0, 3600, &options->warm_up_seconds);
	case SECONDS:
		return runner_parse_number(text, 0.001, 3600, &options->seconds);
	case STAMP:
		options->stamped = 1;
		return 0;
	}
	return -EINVAL;
}

static long smallest(const struct traffic_options *options)
{
	long bytes = FRAME_BYTES_MAX;
	int i;

	for (i = 0; i < options->frame_bytes_count; i++)
		if (options->frame_bytes[i] < bytes)
			bytes = options->frame_bytes[i];
	return bytes;
}

static int check(const struct traffic_options *options)
{
	if (!options->device || !options->cores_count ||
	    (!options->dut_device && !options->dut_uncounted))
		runner_complain("--dev, --dut-dev and --cores are needed", 0);
	else if (options->arrivals != TRAFFIC_FLOOD && !options->packets_per_second)
		runner_complain("--packets-per-second is needed unless flooding", 0);
	else if (options->protocol == TRAFFIC_UDP &&
		 (options->tcp_flags || options->payload_prefix[0]))
		runner_complain("--tcp-flags and --payload-prefix need --protocol tcp", 0);
	else if (options->protocol == TRAFFIC_TCP && smallest(options) < TCP_FRAME_BYTES_MIN)
		runner_complain("--frame-bytes: a TCP frame has 90 bytes or more, for its marks "
				"follow the first 16 of its payload",
				0);
	else if (options->turn_fds_count != (options->window_packets ? options->cores_count : 0))
		runner_complain("--turn-fds: one for each of --cores with --window-packets", 0);
	else
		return 0;
	return -EINVAL;
}

int traffic_parse_options(int argc, char **argv, struct traffic_options *options)
{
	int key;

	*options = (struct traffic_options){
		.frame_bytes = { FRAME_BYTES_MIN },
		.frame_bytes_count = 1,
		.train_packets = 1,
		.batch_packets = 64,
		.flows = 1,
		.sources = 1,
		.destination_mac = { { 2, 0, 0, 0, 0, 2 } },
		.mark_fd = -1,
		.warm_up_seconds = 0.1,
		.seconds = 1,
	};
	while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (key == '?')
			return -EINVAL;
		if (parse_one(key, optarg, options)) {
			fprintf(stderr, "--%s: cannot be \"%s\"\n", known[key - 1].name, optarg);
			return -EINVAL;
		}
	}
	if (!options->sink_device)
		options->sink_device = options->device;
	return check(options);
}
