/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a runner: one table holds what it takes, its limits and its usage text. */
#ifndef LINERATE_OPTIONS_H
#define LINERATE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OPTION_LIST_MAX	 64
#define OPTION_MAC_BYTES 6

enum option_type {
	OPTION_FLAG,	/* int, set to 1 */
	OPTION_TEXT,	/* const char *, not empty */
	OPTION_CHOICE,	/* int or enum: place among .names */
	OPTION_COUNT,	/* uint64_t of .minimum to .maximum */
	OPTION_LIST,	/* struct option_list of such counts, comma between */
	OPTION_NUMBER,	/* double of .lowest to .highest */
	OPTION_MAC,	/* uint8_t[OPTION_MAC_BYTES] */
	OPTION_ADDRESS, /* uint32_t, an IPv4 address in network order */
	OPTION_PARSED,	/* whatever .parse makes of it, each time that it is named */
};

struct option_list {
	uint64_t values[OPTION_LIST_MAX];
	size_t count;
};

/* One option; its destination is an offset into the runner's struct of options. */
struct option_row {
	const char *name;
	enum option_type type;
	size_t to;
	const char *unit; /* stands for the value in the usage text */
	const char *help;
	const char *preset; /* its value where it is not named; NULL: zeros */
	int needed;
	uint64_t minimum, maximum;
	double lowest, highest;
	size_t values_max;	  /* of a list; 0: as many as fit */
	const char *const *names; /* of a choice, or named after .allowed; ends with NULL */
	const char *allowed;	  /* what .parse takes, in words */
	/* NULL, or why the text cannot be used. */
	const char *(*parse)(const char *text, void *options);
};

struct option_table {
	const char *program;
	const char *about;	       /* what it does, in whole lines */
	const char *example;	       /* whole lines, or NULL */
	const struct option_row *rows; /* at most 64; ends with one that has no name */
};

enum option_outcome {
	OPTIONS_REFUSED = -1, /* with the reason on stderr */
	OPTIONS_READ = 0,
	OPTIONS_HELP = 1, /* --help was named: the caller prints the usage */
};

/*
 * Read the command line into *options, which holds zeros. Bit k of *given, unless that is NULL,
 * says whether row k was named.
 */
enum option_outcome options_parse(const struct option_table *table, int argc, char **argv,
				  void *options, uint64_t *given);
/* Print the usage where it was asked for; the exit code of a runner that ends here. */
int options_exit(const struct option_table *table, enum option_outcome outcome);
void options_print_usage(const struct option_table *table, FILE *file);
/* Refuse a value in the words of every refusal, on stderr; OPTIONS_REFUSED. */
enum option_outcome options_refuse(const char *field, const char *got, const char *why,
				   const char *allowed, const char *what_to_do);
/* Refuse a line that lacks this row. */
enum option_outcome options_refuse_missing(const struct option_row *row);

/* NULL with the value in its place in *options, or why the text cannot be used. */
const char *option_set(const struct option_row *row, const char *text, void *options);
/* A whole number in digits alone; NULL, or why it is none of minimum..maximum. */
const char *option_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value);
/* Pairs of hexadecimal digits; how many bytes they are, -EINVAL, or -E2BIG beyond bytes_max. */
int option_hex(const char *text, uint8_t *bytes, int bytes_max);
/* What the row takes, in words. */
void option_allowed(const struct option_row *row, char *text, size_t size);

#endif
