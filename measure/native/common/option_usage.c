// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "options.h"

#define HELP_COLUMN   30
#define COLUMNS	      98
#define ALLOWED_BYTES 512

/* Text of one size that is cut where it is full. */
struct text {
	char *at;
	size_t left;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text->at, text->left, format, values);
	va_end(values);
	if (length < 0 || (size_t)length >= text->left)
		length = text->left ? text->left - 1 : 0;
	text->at += length;
	text->left -= length;
}

static void add_names(struct text *text, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++)
		add(text, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
}

void option_allowed(const struct option_row *row, char *allowed, size_t size)
{
	struct text text = { .at = allowed, .left = size };

	*allowed = '\0';
	switch (row->type) {
	case OPTION_CHOICE:
		add_names(&text, row->names);
		break;
	case OPTION_COUNT:
		add(&text, "%" PRIu64 "..%" PRIu64, row->minimum, row->maximum);
		break;
	case OPTION_LIST:
		add(&text, "%" PRIu64 "..%" PRIu64 ", comma between, at most %zu of them",
		    row->minimum, row->maximum,
		    row->values_max ? row->values_max : OPTION_LIST_MAX);
		break;
	case OPTION_NUMBER:
		add(&text, "%.10g..%.10g", row->lowest, row->highest);
		break;
	case OPTION_MAC:
		add(&text, "six bytes, e.g. 02:00:00:00:10:02");
		break;
	case OPTION_ADDRESS:
		add(&text, "an IPv4 address");
		break;
	default:
		add(&text, "%s", row->allowed ? row->allowed : "any text");
		if (row->names)
			add_names(&text, row->names);
	}
}

/* Words from HELP_COLUMN to COLUMNS. */
static void print_wrapped(FILE *file, const char *words, int column)
{
	int length;

	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (column + 1 + length > COLUMNS)
			column = fprintf(file, "\n%*s", HELP_COLUMN, "") - 1;
		column += fprintf(file, " %.*s", length, words);
	}
	fputc('\n', file);
}

static void print_row(FILE *file, const struct option_row *row)
{
	char allowed[ALLOWED_BYTES], words[2 * ALLOWED_BYTES];
	struct text text = { .at = words, .left = sizeof(words) };
	int says_range = row->type == OPTION_COUNT || row->type == OPTION_LIST ||
			 row->type == OPTION_NUMBER || row->type == OPTION_CHOICE || row->allowed;
	int column = fprintf(file, "  --%s %s", row->name, row->unit ? row->unit : "");

	option_allowed(row, allowed, sizeof(allowed));
	add(&text, "%s", row->help);
	if (says_range || row->preset)
		add(&text, " (%s%s%s%s)", says_range ? allowed : "",
		    says_range && row->preset ? "; " : "", row->preset ? "default " : "",
		    row->preset ? row->preset : "");
	if (column < HELP_COLUMN)
		column += fprintf(file, "%*s", HELP_COLUMN - column, "");
	print_wrapped(file, words, column);
}

void options_print_usage(const struct option_table *table, FILE *file)
{
	const struct option_row *row;
	int optional = 0;

	fprintf(file, "Usage: %s", table->program);
	for (row = table->rows; row->name; row++) {
		optional |= !row->needed;
		if (row->needed)
			fprintf(file, " --%s %s", row->name, row->unit);
	}
	fprintf(file, "%s\n%s", optional ? " [options]" : "", table->about);
	for (row = table->rows; row->name; row++)
		print_row(file, row);
	if (table->example)
		fprintf(file, "Example: %s", table->example);
}
