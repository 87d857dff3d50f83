// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "common/runner.h"

#define ALLOWED_BYTES 512

/* One word of the command line, "--name" or "--name=value". */
struct word {
	const char *name;
	size_t name_length;
	const char *value; /* NULL: it has none */
};

enum option_outcome options_refuse(const char *field, const char *got, const char *why,
				   const char *allowed, const char *what_to_do)
{
	fprintf(stderr, "%s=%s: %s; allowed: %s; %s\n", field, got, why, allowed, what_to_do);
	return OPTIONS_REFUSED;
}

static enum option_outcome refuse_value(const struct option_row *row, const char *got,
					const char *why, const char *what_to_do)
{
	char allowed[ALLOWED_BYTES];

	option_allowed(row, allowed, sizeof(allowed));
	return options_refuse(row->name, got, why, allowed, what_to_do);
}

enum option_outcome options_refuse_missing(const struct option_row *row)
{
	return refuse_value(row, "", "it is needed", "name it");
}

static enum option_outcome refuse_word(const struct option_table *table, const char *word)
{
	const struct option_row *row;

	fprintf(stderr, "option=%s: unknown; allowed: ", word);
	for (row = table->rows; row->name; row++)
		fprintf(stderr, "--%s, ", row->name);
	fprintf(stderr, "--help; correct it\n");
	return OPTIONS_REFUSED;
}

static int split_word(const char *text, struct word *word)
{
	if (strncmp(text, "--", 2) != 0 || !text[2])
		return 0;
	word->name = text + 2;
	word->name_length = strcspn(word->name, "=");
	word->value = word->name[word->name_length] ? word->name + word->name_length + 1 : NULL;
	return 1;
}

static const struct option_row *find_row(const struct option_table *table, const struct word *word)
{
	const struct option_row *row;

	for (row = table->rows; row->name; row++)
		if (strlen(row->name) == word->name_length &&
		    !strncmp(row->name, word->name, word->name_length))
			return row;
	return NULL;
}

/* Read the option at argv[*place], and leave *place at the last word that it took. */
static enum option_outcome read_option(const struct option_table *table, char **argv, int *place,
				       void *options, uint64_t *given)
{
	const struct option_row *row;
	const char *why;
	struct word word;

	if (!split_word(argv[*place], &word))
		return refuse_word(table, argv[*place]);
	if (!strcmp(word.name, "help"))
		return OPTIONS_HELP;
	row = find_row(table, &word);
	if (!row)
		return refuse_word(table, argv[*place]);
	if (row->type == OPTION_FLAG && word.value)
		return options_refuse(row->name, word.value, "it takes no value",
				      "the option alone", "leave the value out");
	if (row->type != OPTION_FLAG && !word.value)
		word.value = argv[++*place];
	if (row->type != OPTION_FLAG && !word.value)
		return refuse_value(row, "", "its value is missing", "add it");
	why = option_set(row, word.value, options);
	if (why)
		return refuse_value(row, word.value, why, "correct it");
	*given |= 1ULL << (row - table->rows);
	return OPTIONS_READ;
}

static enum option_outcome check_needed(const struct option_table *table, uint64_t given)
{
	const struct option_row *row;

	for (row = table->rows; row->name; row++)
		if (row->needed && !(given >> (row - table->rows) & 1))
			return options_refuse_missing(row);
	return OPTIONS_READ;
}

/* By the same reader as what is named: a preset that its own row refuses is a bug of ours. */
static void set_presets(const struct option_table *table, void *options)
{
	const struct option_row *row;

	for (row = table->rows; row->name; row++)
		if (row->preset && option_set(row, row->preset, options))
			abort();
}

enum option_outcome options_parse(const struct option_table *table, int argc, char **argv,
				  void *options, uint64_t *given)
{
	enum option_outcome outcome = OPTIONS_READ;
	uint64_t read = 0;
	int i;

	set_presets(table, options);
	for (i = 1; outcome == OPTIONS_READ && i < argc; i++)
		outcome = read_option(table, argv, &i, options, &read);
	if (outcome == OPTIONS_READ)
		outcome = check_needed(table, read);
	if (given)
		*given = read;
	return outcome;
}

int options_exit(const struct option_table *table, enum option_outcome outcome)
{
	if (outcome != OPTIONS_HELP)
		return RUNNER_USAGE;
	options_print_usage(table, stdout);
	return RUNNER_DONE;
}
