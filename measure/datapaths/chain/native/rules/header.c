// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "rule.h"

int nsh_need(const struct nsh_rule *rule, uint64_t rows)
{
	unsigned int i;

	for (i = 0; nsh_rules_table.rows[i].name; i++) {
		if (rows & ~rule->given & 1ULL << i) {
			options_refuse_missing(&nsh_rules_table.rows[i]);
			return -EINVAL;
		}
	}
	return 0;
}

__u32 nsh_path_key(const struct nsh_rule *rule)
{
	return htonl(rule->spi << 8 | rule->si);
}

struct nsh_flow nsh_flow_key(const struct nsh_rule *rule)
{
	return (struct nsh_flow){
		.source = rule->source,
		.destination = rule->destination,
		.source_port = htons(rule->source_port),
		.destination_port = htons(rule->destination_port),
		.protocol = rule->protocol,
	};
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
	    rule->context_bytes != NSH_CONTEXT_BYTES) {
		options_refuse("context", "", "MD type 1 has one length",
			       "16 bytes, or none for zeros", "use them or --metadata-type 2");
		return -EINVAL;
	}
	header->bytes_count = NSH_BASE_BYTES + put_metadata(rule, header->bytes + NSH_BASE_BYTES);
	base.ttl_and_length =
		htons(NSH_TTL_FIRST << NSH_TTL_SHIFT | header->bytes_count / NSH_WORD_BYTES);
	memcpy(header->bytes, &base, sizeof(base));
	return 0;
}
