/* SPDX-License-Identifier: Apache-2.0 */
/* A file of lines, words apart by one space: what Python tells a runner when it is much. */
#ifndef LINERATE_LINES_H
#define LINERATE_LINES_H

#define LINES_WORDS_MAX 4

struct line {
	char *words[LINES_WORDS_MAX]; /* the last holds the rest of the line */
	int count;
	unsigned long number;
	const char *path;
};

/* Hand over each line until one is refused; 0, -errno of the file, or what the handler returned. */
int lines_for_each(const char *path, int (*handle)(const struct line *line, void *to), void *to);
/* Say on stderr why a line is not taken; returns the error. */
int lines_refuse(const struct line *line, const char *why, int error);
/* Whether a line begins with this word and has so many. */
int lines_match(const struct line *line, const char *word, int words);

#endif
