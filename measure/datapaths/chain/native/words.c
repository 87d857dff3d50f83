// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "words.h"
#include "common/runner.h"

static int hex_digit(char digit)
{
	return isdigit(digit) ? digit - '0' : tolower(digit) - 'a' + 10;
}

int nsh_parse_hex(const char *text, __u8 *bytes, int bytes_max)
{
	int count;

	for (count = 0; text[0]; count++, text += 2) {
		if (count == bytes_max || !isxdigit(text[0]) || !isxdigit(text[1]))
			return -EINVAL;
		bytes[count] = hex_digit(text[0]) << 4 | hex_digit(text[1]);
	}
	return count;
}

int nsh_parse_mac(const char *text, __u8 *mac)
{
	unsigned int parts[6];
	int i, end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &parts[0], &parts[1], &parts[2], &parts[3],
		   &parts[4], &parts[5], &end) != 6 ||
	    text[end])
		return -EINVAL;
	for (i = 0; i < 6; i++)
		mac[i] = parts[i];
	return 0;
}

int nsh_parse_protocol(const char *text, __u8 *protocol)
{
	static const struct {
		const char *name;
		__u8 number;
	} names[] = { { "icmp", IPPROTO_ICMP }, { "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP } };
	unsigned int i;
	double number;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcasecmp(text, names[i].name)) {
			*protocol = names[i].number;
			return 0;
		}
	}
	if (runner_parse_number(text, 0, 255, &number) || number != (__u8)number)
		return -EINVAL;
	*protocol = number;
	return 0;
}
