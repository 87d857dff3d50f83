// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#define AT(member) offsetof(struct object_options, member)

static const char *const works[] = {
	[OBJECT_LIST] = "list",
	[OBJECT_TEST] = "test",
	[OBJECT_ATTACH] = "attach",
	[OBJECT_ATTACH + 1] = NULL,
};

static const char *const hooks[] = {
	[OBJECT_NATIVE] = "native",	    [OBJECT_GENERIC] = "generic", [OBJECT_TC] = "tc",
	[OBJECT_PREROUTING] = "prerouting", [OBJECT_INPUT] = "input",	  [OBJECT_INPUT + 1] = NULL,
};

static const struct option_row rows[] = {
	{ "object", OPTION_TEXT, AT(object), "FILE.bpf.o", .help = "the user's object",
	  .needed = 1 },
	{ "do", OPTION_CHOICE, AT(work), "WORK",
	  .help = "list what it holds, test it on frames, or attach it", .needed = 1,
	  .names = works },
	{ "entry", OPTION_TEXT, AT(entry), "NAME",
	  .help = "program to load; may be left out where there is one" },
	{ "plan", OPTION_TEXT, AT(plan), "FILE",
	  .help = "what to set and fill, and the frames; a line for each" },
	{ "feed", OPTION_TEXT, AT(feed), "FILE.bpf.o",
	  .help = "the program that feeds; of a test" },
	{ "ends", OPTION_TEXT, AT(ends), "FILE.bpf.o",
	  .help = "the programs that count verdicts; each line on stdin is answered by them" },
	{ "rounds", OPTION_COUNT, AT(rounds), "N", .help = "times that all is timed", .preset = "7",
	  .minimum = 1, .maximum = 1000 },
	{ "chunk-us", OPTION_COUNT, AT(chunk_us), "N", .help = "time of one timing",
	  .preset = "2000", .minimum = 10, .maximum = 1000000 },
	{ "each", OPTION_COUNT, AT(each), "N", .help = "first frames that are timed by themselves",
	  .preset = "0", .maximum = 256 },
	{ "rivals", OPTION_COUNT, AT(rivals), "N",
	  .help = "it is timed again while 1, 2, ... up to N other cores run it, too",
	  .preset = "0", .maximum = 63 },
	{ "dev", OPTION_TEXT, AT(device), "NAME",
	  .help = "interface to attach it to, or that a test's frames seem to come in by" },
	{ "hook", OPTION_CHOICE, AT(hook), "NAME", .help = "where it is attached, or belongs",
	  .preset = "native", .names = hooks },
	{},
};

const struct option_table object_table = {
	.program = "bpf_object",
	.about = "Lists, tests or attaches a user's BPF object; prints JSON lines.\n",
	.example = "bpf_object --do list --object filter.bpf.o\n"
		   "bpf_object --do test --object filter.bpf.o --feed feed.bpf.o --plan plan.txt\n",
	.rows = rows,
};
