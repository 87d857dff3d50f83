/* SPDX-License-Identifier: Apache-2.0 */
/* A rule of a service function chain as the command line names it. */
#ifndef LINERATE_NSH_RULES_H
#define LINERATE_NSH_RULES_H

#include "bpf/nsh.h"

enum nsh_rules_key {
	NSH_PINS = 1,
	NSH_SPI,
	NSH_SI,
	NSH_MAC,
	NSH_SOURCE,
	NSH_DESTINATION,
	NSH_PROTOCOL,
	NSH_SOURCE_PORT,
	NSH_DESTINATION_PORT,
	NSH_METADATA_TYPE,
	NSH_CONTEXT,
};

struct nsh_rule {
	const char *pins;
	unsigned int given; /* bit for each key that was named */
	__u32 spi, si;
	struct nsh_hop hop;
	struct nsh_flow flow;
	__u32 metadata_type;
	__u8 context[NSH_BYTES_MAX];
	int context_bytes;
};

extern const char nsh_rules_usage[];

/* The usual words of a refusal, on stderr; -EINVAL. */
int nsh_refuse(const char *field, const char *got, const char *why, const char *allowed,
	       const char *what_to_do);
/* 0, or -EINVAL with the reason on stderr. */
int nsh_parse_rule(int argc, char **argv, struct nsh_rule *rule);
/* Refuse a command that lacks one of the options in `keys`. */
int nsh_need(const struct nsh_rule *rule, unsigned int keys);
/* The header that a classified packet gets; 0 or -EINVAL with the reason on stderr. */
int nsh_build_header(const struct nsh_rule *rule, struct nsh_header *header);
/* SPI and SI as a path's key. */
__u32 nsh_path_key(const struct nsh_rule *rule);

#endif
