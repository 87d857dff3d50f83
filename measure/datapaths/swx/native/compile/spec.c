// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <rte_swx_pipeline.h>

#include "spec.h"

#define SPEC_BYTES_MAX (4 << 20)
/* As MAX_LINE_LENGTH in rte_swx_pipeline_spec.c: beyond it a line is read as two. */
#define LINE_BYTES 2048

struct place {
	const char *name;
	int line;
	int in_code; /* of an action or of apply, where each line is an instruction */
};

static int refuse(const struct place *place, const char *why, const char *allowed)
{
	fprintf(stderr, "spec=%s:%d: %s; allowed: %s; correct it\n", place->name, place->line, why,
		allowed);
	return -EINVAL;
}

static int check_bytes(const char *line, const struct place *place)
{
	size_t bytes = strcspn(line, "\n"), i;

	if (bytes > LINE_BYTES - 2)
		return refuse(place, "DPDK cuts such a line", "2046 bytes");
	for (i = 0; i < bytes; i++)
		if (line[i] != '\t' && (line[i] < ' ' || line[i] > '~'))
			return refuse(place, "a byte that is not text, in a comment neither",
				      "printable ASCII, tab and line feed");
	return 0;
}

static int check_word(const char *word, size_t bytes, const struct place *place)
{
	size_t i;

	if (bytes >= RTE_SWX_NAME_SIZE)
		return refuse(place, "DPDK cuts such a word", "63 bytes");
	for (i = 0; i < bytes; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("_.:<>{}/@", word[i]))
			return refuse(place, "a character that has no meaning there",
				      "letters, digits and _ . : < > { } @");
	return 0;
}

static int starts(const char *line, const char *word)
{
	size_t bytes = strlen(word);

	return !strncmp(line, word, bytes) && (!line[bytes] || strchr(" \t\n", line[bytes]));
}

/* A comment begins where DPDK begins one: at a word's beginning, and nowhere within it. */
static int check_words(const char *line, struct place *place)
{
	const char *first = line += strspn(line, " \t\n");
	size_t bytes, joined = 0;
	int error;

	if (starts(first, "action") || starts(first, "apply"))
		place->in_code = 1;
	for (; *line; line += strspn(line, " \t\n")) {
		if (*line == '#' || *line == ';' || !strncmp(line, "//", 2))
			break;
		bytes = strcspn(line, " \t\n");
		error = check_word(line, bytes, place);
		if (error)
			return error;
		joined += bytes + 1;
		line += bytes;
	}
	if (joined == sizeof("}") && *first == '}')
		place->in_code = 0;
	/* DPDK joins the words of an instruction in a buffer that it does not measure. */
	if (place->in_code && joined > RTE_SWX_INSTRUCTION_SIZE)
		return refuse(place, "DPDK has no room for such an instruction", "255 bytes");
	return 0;
}

int swx_spec_check(FILE *spec, const char *name)
{
	struct place place = { .name = name };
	char line[LINE_BYTES + 1];
	size_t bytes = 0;
	int error = 0;

	while (!error && fgets(line, sizeof(line), spec)) {
		place.line++;
		bytes += strlen(line);
		if (bytes != (size_t)ftell(spec))
			error = refuse(&place, "a byte of 0", "text");
		else if (bytes > SPEC_BYTES_MAX)
			error = refuse(&place, "the file is too large", "4 MiB");
		if (!error)
			error = check_bytes(line, &place);
		if (!error)
			error = check_words(line, &place);
	}
	if (!error && ferror(spec))
		error = refuse(&place, "it cannot be read to its end", "a readable file");
	rewind(spec);
	return error;
}
