// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

int lines_refuse(const struct line *line, const char *why, int error)
{
	fprintf(stderr, "%s line %lu (%s %.60s): %s: %s\n", line->path, line->number,
		line->words[0], line->count > 1 ? line->words[1] : "", why, strerror(-error));
	return error;
}

int lines_match(const struct line *line, const char *word, int words)
{
	return line->count == words && !strcmp(line->words[0], word);
}

static void split(struct line *line, char *text)
{
	char *space;

	text[strcspn(text, "\n")] = '\0';
	for (line->count = 0; text && line->count < LINES_WORDS_MAX; line->count++) {
		line->words[line->count] = text;
		space = line->count < LINES_WORDS_MAX - 1 ? strchr(text, ' ') : NULL;
		if (space)
			*space++ = '\0';
		text = space;
	}
}

int lines_for_each(const char *path, int (*handle)(const struct line *line, void *to), void *to)
{
	struct line line = { .path = path };
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int error = 0;

	if (!file) {
		error = -errno;
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return error;
	}
	while (!error && getline(&text, &size, file) >= 0) {
		line.number++;
		split(&line, text);
		error = handle(&line, to);
	}
	free(text);
	fclose(file);
	return error;
}
