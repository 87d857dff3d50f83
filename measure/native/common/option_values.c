// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define MAC_CHARACTERS (3 * OPTION_MAC_BYTES - 1)

static const char outside[] = "out of range";

const char *option_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
	const char *digits = text + (*text == '-');
	unsigned long long number;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return "not a whole number";
	errno = 0;
	number = strtoull(digits, NULL, 10);
	if (errno || digits != text || number < minimum || number > maximum)
		return outside;
	*value = number;
	return NULL;
}

static const char *set_number(const struct option_row *row, const char *text, double *value)
{
	double number;
	char *end;

	/* strtod() would take spaces before it, hexadecimal digits, inf and nan too. */
	number = strtod(text, &end);
	if (end == text || *end || text[strspn(text, "0123456789.eE+-")] || !isfinite(number))
		return "not a number";
	if (number < row->lowest || number > row->highest)
		return outside;
	*value = number;
	return NULL;
}

static int hex_digit(unsigned char digit)
{
	return isdigit(digit) ? digit - '0' : tolower(digit) - 'a' + 10;
}

int option_hex(const char *text, uint8_t *bytes, int bytes_max)
{
	int count;

	for (count = 0; *text; count++, text += 2) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return -EINVAL;
		if (count == bytes_max)
			return -E2BIG;
		bytes[count] = hex_digit(text[0]) << 4 | hex_digit(text[1]);
	}
	return count;
}

/* A list named again takes the place of the one before. */
static const char *set_list(const struct option_row *row, const char *text,
			    struct option_list *list)
{
	size_t values_max = row->values_max ? row->values_max : OPTION_LIST_MAX;
	const char *why = NULL;
	char *copy = strdup(text), *rest = copy, *one;

	if (!copy)
		return strerror(ENOMEM);
	list->count = 0;
	while (!why && (one = strsep(&rest, ","))) {
		if (list->count == values_max)
			why = "too many values";
		else
			why = option_count(one, row->minimum, row->maximum,
					   &list->values[list->count++]);
	}
	free(copy);
	return why;
}

static const char *set_choice(const struct option_row *row, const char *text, int *place)
{
	int i;

	for (i = 0; row->names[i]; i++) {
		if (!strcmp(text, row->names[i])) {
			*place = i;
			return NULL;
		}
	}
	return "unknown";
}

static const char *set_mac(const char *text, uint8_t *mac)
{
	int i;

	if (strlen(text) != MAC_CHARACTERS)
		return "not a MAC address";
	for (i = 0; i < MAC_CHARACTERS; i++)
		if (i % 3 == 2 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
			return "not a MAC address";
	for (i = 0; i < OPTION_MAC_BYTES; i++)
		mac[i] = strtoul(text + 3 * i, NULL, 16);
	return NULL;
}

static const char *set_text(const char *text, const char **to)
{
	*to = text;
	return *text ? NULL : "empty";
}

const char *option_set(const struct option_row *row, const char *text, void *options)
{
	void *to = (char *)options + row->to;

	switch (row->type) {
	case OPTION_FLAG:
		*(int *)to = 1;
		return NULL;
	case OPTION_TEXT:
		return set_text(text, to);
	case OPTION_CHOICE:
		return set_choice(row, text, to);
	case OPTION_COUNT:
		return option_count(text, row->minimum, row->maximum, to);
	case OPTION_LIST:
		return set_list(row, text, to);
	case OPTION_NUMBER:
		return set_number(row, text, to);
	case OPTION_MAC:
		return set_mac(text, to);
	case OPTION_ADDRESS:
		return inet_pton(AF_INET, text, to) == 1 ? NULL : "not an IPv4 address";
	case OPTION_PARSED:
		return row->parse(text, options);
	}
	return "unknown";
}
