// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "traffic_options.h"

#define FRAME_BYTES_MIN 64
#define FRAME_BYTES_MAX 3500 /* a live frame and its headroom share one page */
#define PID_MAX		(1 << 22)

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
	"  --stamp                    stamp each frame and take its latency\n"
	"  --warm-up-seconds S        not counted (default 0.1)\n"
	"  --seconds S                counted (default 1)\n"
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
	STAMP,
	WARM_UP,
	SECONDS,
	DUT_THREADS,
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
	{ "stamp", no_argument, NULL, STAMP },
	{ "warm-up-seconds", required_argument, NULL, WARM_UP },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "dut-threads", required_argument, NULL, DUT_THREADS },
	{},
};

static int parse_arrivals(const char *text, enum traffic_arrivals *arrivals)
{
	static const char *const names[] = {
		[TRAFFIC_FLOOD] = "flood",
		[TRAFFIC_CONSTANT] = "constant",
		[TRAFFIC_POISSON] = "poisson",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*arrivals = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_count(int count, int *parsed)
{
	*parsed = count;
	return count < 0 ? count : 0;
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

static int check(const struct traffic_options *options)
{
	if (!options->device || !options->cores_count ||
	    (!options->dut_device && !options->dut_uncounted))
		runner_complain("--dev, --dut-dev and --cores are needed", 0);
	else if (options->arrivals != TRAFFIC_FLOOD && !options->packets_per_second)
		runner_complain("--packets-per-second is needed unless flooding", 0);
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
