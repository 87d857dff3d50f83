// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#define AT(member) offsetof(struct function_options, member)

static const struct option_row rows[] = {
	{ "function", OPTION_TEXT, AT(function), "FILE.so", .help = "the user's shared object",
	  .needed = 1 },
	{ "entry", OPTION_TEXT, AT(entry), "NAME", .help = "its function for a frame",
	  .needed = 1 },
	{ "plan", OPTION_TEXT, AT(plan), "FILE", .help = "the frames and their order; a line each",
	  .needed = 1 },
	{ "rounds", OPTION_COUNT, AT(rounds), "N", .help = "times that all is timed", .preset = "7",
	  .minimum = 1, .maximum = 1000 },
	{ "chunk-us", OPTION_COUNT, AT(chunk_us), "N", .help = "time of one timing",
	  .preset = "2000", .minimum = 10, .maximum = 1000000 },
	{ "each", OPTION_COUNT, AT(each), "N", .help = "first frames that are timed by themselves",
	  .preset = "0", .maximum = 256 },
	{},
};

const struct option_table function_table = {
	.program = "function_test",
	.about = "Times a user's packet function on frames, with no rights; prints JSON lines.\n",
	.example = "function_test --function mine.so --entry fn --plan plan.txt\n",
	.rows = rows,
};
