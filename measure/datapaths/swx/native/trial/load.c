// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "../options.h"
#include "load.h"

#define WORDS_MAX  32
#define AT(member) offsetof(struct swx_load, member)

static const char *const arrivals[] = {
	[SWX_FLOOD] = "flood",
	[SWX_CONSTANT] = "constant",
	[SWX_POISSON] = "poisson",
	[SWX_POISSON + 1] = NULL,
};

static const struct option_row rows[] = {
	{ "seconds", OPTION_NUMBER, AT(seconds), "S", .help = "counted", .needed = 1,
	  .lowest = 0.001, .highest = 3600 },
	{ "warm-up-seconds", OPTION_NUMBER, AT(warm_up_seconds), "S",
	  .help = "before what is counted", .preset = "0", .highest = 600 },
	{ "arrivals", OPTION_CHOICE, AT(arrivals), "KIND", .help = "how packets are spread in time",
	  .preset = "flood", .names = arrivals },
	{ "packets-per-second", OPTION_NUMBER, AT(packets_per_second), "N",
	  .help = "over all instances; not when flooding", .lowest = 1, .highest = 1e9 },
	{ "burst-packets", OPTION_COUNT, AT(burst_packets), "N",
	  .help = "due at once, with constant arrivals", .preset = "1", .minimum = 1,
	  .maximum = 1 << 20 },
	{ "frame-bytes", OPTION_LIST, AT(frame_bytes), "LIST",
	  .help = "sizes, one after the other, FCS included", .preset = "64",
	  .minimum = SWX_FRAME_MIN, .maximum = SWX_FRAME_MAX, .values_max = SWX_SIZES_MAX },
	{ "flows", OPTION_COUNT, AT(flows), "N",
	  .help = "distinct addresses and ports, one after the other", .preset = "1", .minimum = 1,
	  .maximum = SWX_FLOWS_MAX },
	{ "destination-mac", OPTION_MAC, AT(destination_mac), "MAC", .help = "of each frame",
	  .preset = "02:00:00:00:00:02" },
	{ "seed", OPTION_COUNT, AT(seed), "N", .help = "of random gaps", .preset = "0",
	  .maximum = 1U << 31 },
	{},
};

const struct option_table swx_load_table = {
	.program = "trial",
	.about = "Offers a load once, and counts at both ends.\n",
	.rows = rows,
};

enum option_outcome swx_load_parse(char *line, struct swx_load *load)
{
	char *words[WORDS_MAX + 1] = { "trial" }, *rest = line, *word;
	enum option_outcome outcome;
	int count = 1;

	while ((word = strsep(&rest, " \n"))) {
		if (*word && count == WORDS_MAX)
			return options_refuse("trial", "", "too many words", "31 of them",
					      "name each option once");
		if (*word)
			words[count++] = word;
	}
	*load = (struct swx_load){};
	outcome = options_parse(&swx_load_table, count, words, load, NULL);
	if (outcome != OPTIONS_READ)
		return outcome;
	if ((load->arrivals == SWX_FLOOD) != !load->packets_per_second)
		return options_refuse("packets-per-second", "",
				      "a flood has none, all others need it", "1..1000000000",
				      "correct it or --arrivals");
	if (load->burst_packets > 1 && load->arrivals != SWX_CONSTANT)
		return options_refuse("burst-packets", "", "only constant arrivals have bursts",
				      "1", "leave it out");
	return OPTIONS_READ;
}
