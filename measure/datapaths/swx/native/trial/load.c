// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/runner.h"
#include "../ports/flows.h"
#include "load.h"

#define WORDS_MAX 32
#define SEED	  0x9e3779b97f4a7c15ULL

const char swx_load_usage[] =
	"Usage: trial --seconds S [options]\n"
	"  --warm-up-seconds S     sent before, and not counted (default 0)\n"
	"  --arrivals flood|constant|poisson  (default flood)\n"
	"  --packets-per-second N  over all instances; not when flooding\n"
	"  --train-packets N       due at once, with constant arrivals (default 1)\n"
	"  --frame-bytes LIST      FCS included, used in turn (default 64)\n"
	"  --flows N               distinct addresses and ports, used in turn (default 1)\n";

enum option_key {
	SECONDS = 1,
	WARM_UP,
	ARRIVALS,
	RATE,
	TRAIN,
	FRAME_BYTES,
	FLOWS,
};

static const struct option known[] = {
	{ "seconds", required_argument, NULL, SECONDS },
	{ "warm-up-seconds", required_argument, NULL, WARM_UP },
	{ "arrivals", required_argument, NULL, ARRIVALS },
	{ "packets-per-second", required_argument, NULL, RATE },
	{ "train-packets", required_argument, NULL, TRAIN },
	{ "frame-bytes", required_argument, NULL, FRAME_BYTES },
	{ "flows", required_argument, NULL, FLOWS },
	{},
};

static int parse_arrivals(const char *text, enum swx_arrivals *arrivals)
{
	static const char *const names[] = { "flood", "constant", "poisson", NULL };
	int place = runner_parse_name(text, names);

	*arrivals = place < 0 ? SWX_FLOOD : place;
	return place < 0 ? place : 0;
}

static int parse_one(enum option_key key, const char *text, struct swx_load *load)
{
	switch (key) {
	case SECONDS:
		return runner_parse_number(text, 0.001, 3600, &load->seconds);
	case WARM_UP:
		return runner_parse_number(text, 0, 600, &load->warm_up_seconds);
	case ARRIVALS:
		return parse_arrivals(text, &load->arrivals);
	case RATE:
		return runner_parse_number(text, 1, 1e9, &load->packets_per_second);
	case TRAIN:
		return runner_parse_number(text, 1, 1 << 20, &load->train_packets);
	case FRAME_BYTES:
		load->sizes = runner_parse_list(text, 64, 1518, load->frame_bytes, SWX_SIZES_MAX);
		return load->sizes < 0 ? load->sizes : 0;
	case FLOWS:
		return runner_parse_number(text, 1, SWX_FLOWS_MAX, &load->flows);
	}
	return -EINVAL;
}

static int check(const struct swx_load *load)
{
	if (!load->seconds)
		runner_complain("trial: --seconds is needed", 0);
	else if ((load->arrivals == SWX_FLOOD) != !load->packets_per_second)
		runner_complain("trial: --packets-per-second goes with all arrivals but flood", 0);
	else if (load->train_packets > 1 && load->arrivals != SWX_CONSTANT)
		runner_complain("trial: --train-packets goes with constant arrivals", 0);
	else
		return 0;
	return -EINVAL;
}

int swx_load_parse(char *line, struct swx_load *load)
{
	char *words[WORDS_MAX] = { "trial" }, *rest = line, *word;
	int count = 1, key;

	while ((word = strsep(&rest, " \n")) && count < WORDS_MAX)
		if (*word)
			words[count++] = word;
	*load = (struct swx_load){
		.train_packets = 1,
		.frame_bytes = { 64 },
		.sizes = 1,
		.flows = 1,
	};
	optind = 0; /* begin anew, says getopt(3) */
	while ((key = getopt_long(count, words, "", known, NULL)) != -1) {
		if (key == '?')
			return -EINVAL;
		if (parse_one(key, optarg, load)) {
			fprintf(stderr, "trial: --%s: cannot be \"%s\"\n", known[key - 1].name,
				optarg);
			return -EINVAL;
		}
	}
	return check(load);
}

void swx_schedule_begin(struct swx_schedule *schedule, const struct swx_load *load,
			double cycles_per_second)
{
	int i;

	*schedule = (struct swx_schedule){
		.arrivals = load->arrivals,
		.train_packets = load->train_packets,
		.random = SEED,
	};
	if (load->arrivals == SWX_FLOOD)
		return;
	schedule->gap_cycles = cycles_per_second / load->packets_per_second * load->train_packets;
	/* Mid-points of equal shares; their mean is 1 but for the last one's tail. */
	for (i = 0; i < SWX_GAPS; i++)
		schedule->gaps[i] = -log1p(-(i + 0.5) / SWX_GAPS);
}

static double next_gap_cycles(struct swx_schedule *schedule)
{
	if (schedule->arrivals == SWX_CONSTANT)
		return schedule->gap_cycles;
	schedule->random ^= schedule->random << 13;
	schedule->random ^= schedule->random >> 7;
	schedule->random ^= schedule->random << 17;
	return schedule->gap_cycles * schedule->gaps[(schedule->random >> 32) % SWX_GAPS];
}

uint64_t swx_schedule_due(struct swx_schedule *schedule, double now_cycles)
{
	if (schedule->arrivals == SWX_FLOOD)
		return UINT64_MAX;
	while (schedule->due_cycles <= now_cycles) {
		schedule->due_packets += schedule->train_packets;
		schedule->due_cycles += next_gap_cycles(schedule);
	}
	return schedule->due_packets;
}
