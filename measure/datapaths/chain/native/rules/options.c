// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "rule.h"
#include "../words.h"
#include "common/runner.h"

#define PORT_MAX 65535

const char nsh_rules_usage[] =
	"Usage: nsh_rules COMMAND --pins DIR [options]\n"
	"  add-path --spi N --si N --mac MAC      packets of this path and index go to MAC next\n"
	"  del-path --spi N --si N\n"
	"  add-flow --source IP --destination IP --protocol P --spi N [--si N] [options]\n"
	"           [--source-port N --destination-port N]  only these; of ICMP the echo's identifier\n"
	"           [--metadata-type 1|2] [--context HEX]   metadata to carry\n"
	"  del-flow --source IP --destination IP --protocol P [--source-port N ...]\n"
	"  list     prints each rule as one line of JSON\n"
	"Example: nsh_rules add-path --pins /sys/fs/bpf --spi 7 --si 254 --mac 02:00:00:00:10:02\n";

static const struct option known[] = {
	{ "pins", required_argument, NULL, NSH_PINS },
	{ "spi", required_argument, NULL, NSH_SPI },
	{ "si", required_argument, NULL, NSH_SI },
	{ "mac", required_argument, NULL, NSH_MAC },
	{ "source", required_argument, NULL, NSH_SOURCE },
	{ "destination", required_argument, NULL, NSH_DESTINATION },
	{ "protocol", required_argument, NULL, NSH_PROTOCOL },
	{ "source-port", required_argument, NULL, NSH_SOURCE_PORT },
	{ "destination-port", required_argument, NULL, NSH_DESTINATION_PORT },
	{ "metadata-type", required_argument, NULL, NSH_METADATA_TYPE },
	{ "context", required_argument, NULL, NSH_CONTEXT },
	{},
};

/* What an option takes: said when it got something else. */
static const char *const allowed[] = {
	[NSH_PINS] = "a folder",
	[NSH_SPI] = "1..16777215",
	[NSH_SI] = "1..255",
	[NSH_MAC] = "six bytes, e.g. 02:00:00:00:10:02",
	[NSH_SOURCE] = "an IPv4 address",
	[NSH_DESTINATION] = "an IPv4 address",
	[NSH_PROTOCOL] = "icmp, tcp, udp or 0..255",
	[NSH_SOURCE_PORT] = "1..65535",
	[NSH_DESTINATION_PORT] = "1..65535",
	[NSH_METADATA_TYPE] = "1 or 2",
	[NSH_CONTEXT] = "pairs of hexadecimal digits, at most 28",
};

int nsh_refuse(const char *field, const char *got, const char *why, const char *allowed_words,
	       const char *what_to_do)
{
	fprintf(stderr, "%s=%s: %s; allowed: %s; %s\n", field, got, why, allowed_words, what_to_do);
	return -EINVAL;
}

static int parse_whole(const char *text, double min, double max, __u32 *value)
{
	double number;

	if (runner_parse_number(text, min, max, &number) || number != (__u32)number)
		return -EINVAL;
	*value = number;
	return 0;
}

static int parse_port(const char *text, __u16 *port)
{
	__u32 number;

	if (parse_whole(text, 1, PORT_MAX, &number))
		return -EINVAL;
	*port = htons(number);
	return 0;
}

static int parse_one(enum nsh_rules_key key, const char *text, struct nsh_rule *rule)
{
	switch (key) {
	case NSH_PINS:
		rule->pins = text;
		return 0;
	case NSH_SPI:
		return parse_whole(text, 1, NSH_SPI_MAX, &rule->spi);
	case NSH_SI:
		return parse_whole(text, 1, NSH_SI_FIRST, &rule->si);
	case NSH_MAC:
		return nsh_parse_mac(text, rule->hop.mac);
	case NSH_SOURCE:
		return inet_pton(AF_INET, text, &rule->flow.source) == 1 ? 0 : -EINVAL;
	case NSH_DESTINATION:
		return inet_pton(AF_INET, text, &rule->flow.destination) == 1 ? 0 : -EINVAL;
	case NSH_PROTOCOL:
		return nsh_parse_protocol(text, &rule->flow.protocol);
	case NSH_SOURCE_PORT:
		return parse_port(text, &rule->flow.source_port);
	case NSH_DESTINATION_PORT:
		return parse_port(text, &rule->flow.destination_port);
	case NSH_METADATA_TYPE:
		return parse_whole(text, 1, 2, &rule->metadata_type);
	case NSH_CONTEXT:
		rule->context_bytes = nsh_parse_hex(text, rule->context,
						    NSH_BYTES_MAX - NSH_BASE_BYTES - NSH_TLV_BYTES);
		return rule->context_bytes < 0 ? -EINVAL : 0;
	}
	return -EINVAL;
}

int nsh_parse_rule(int argc, char **argv, struct nsh_rule *rule)
{
	int key, index = 0;

	while ((key = getopt_long(argc, argv, "", known, &index)) != -1) {
		if (key == '?')
			return -EINVAL;
		if (parse_one(key, optarg, rule))
			return nsh_refuse(known[index].name, optarg, "it is none", allowed[key],
					  "correct it");
		rule->given |= 1U << key;
	}
	return optind == argc ? 0 : -EINVAL;
}

int nsh_need(const struct nsh_rule *rule, unsigned int keys)
{
	unsigned int i;

	for (i = 0; known[i].name; i++)
		if (keys & ~rule->given & 1U << known[i].val)
			return nsh_refuse(known[i].name, "", "this command needs it",
					  allowed[known[i].val], "name it");
	return 0;
}

__u32 nsh_path_key(const struct nsh_rule *rule)
{
	return htonl(rule->spi << 8 | rule->si);
}

/* A context of MD type 2 is one metadata field, its value padded to whole words. */
static int put_metadata(const struct nsh_rule *rule, __u8 *bytes)
{
	int words = (rule->context_bytes + NSH_WORD_BYTES - 1) / NSH_WORD_BYTES;

	if (rule->metadata_type == 1) {
		memcpy(bytes, rule->context, NSH_CONTEXT_BYTES);
		return NSH_CONTEXT_BYTES;
	}
	if (!rule->context_bytes)
		return 0;
	bytes[0] = NSH_TLV_CLASS >> 8;
	bytes[1] = NSH_TLV_CLASS & 0xff;
	bytes[2] = NSH_TLV_TYPE;
	bytes[3] = rule->context_bytes;
	memcpy(bytes + NSH_TLV_BYTES, rule->context, rule->context_bytes);
	return NSH_TLV_BYTES + words * NSH_WORD_BYTES;
}

int nsh_build_header(const struct nsh_rule *rule, struct nsh_header *header)
{
	struct nsh_base base = { .metadata_type = rule->metadata_type,
				 .next_protocol = NSH_NEXT_ETHERNET,
				 .path = nsh_path_key(rule) };

	memset(header, 0, sizeof(*header));
	if (rule->metadata_type == 1 && rule->context_bytes &&
	    rule->context_bytes != NSH_CONTEXT_BYTES)
		return nsh_refuse("context", "", "MD type 1 has one length",
				  "16 bytes, or none for zeros", "use them or --metadata-type 2");
	header->bytes_count = NSH_BASE_BYTES + put_metadata(rule, header->bytes + NSH_BASE_BYTES);
	base.ttl_and_length =
		htons(NSH_TTL_FIRST << NSH_TTL_SHIFT | header->bytes_count / NSH_WORD_BYTES);
	memcpy(header->bytes, &base, sizeof(base));
	return 0;
}
