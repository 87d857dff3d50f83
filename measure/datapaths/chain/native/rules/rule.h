/* SPDX-License-Identifier: Apache-2.0 */
/* A rule of a service function chain as the command line names it. */
#ifndef LINERATE_NSH_RULES_H
#define LINERATE_NSH_RULES_H

#include "bpf/nsh/nsh.h"
#include "common/options.h"

/* Rows of the table of options. */
enum nsh_rules_row {
	NSH_PINS,
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
	uint64_t given; /* bit for each row that was named */
	uint64_t spi, si;
	uint8_t mac[OPTION_MAC_BYTES];
	uint32_t source, destination; /* addresses in network order */
	uint8_t protocol;
	uint64_t source_port, destination_port;
	uint64_t metadata_type;
	uint8_t context[NSH_BYTES_MAX];
	int context_bytes;
};

extern const struct option_table nsh_rules_table;

/* Refuse a command that lacks one of these rows, a bit each; 0 or -EINVAL. */
int nsh_need(const struct nsh_rule *rule, uint64_t rows);
/* The header that a classified packet gets; 0 or -EINVAL with the reason on stderr. */
int nsh_build_header(const struct nsh_rule *rule, struct nsh_header *header);
/* SPI and SI as a path's key, the addresses, protocol and ports as a flow's. */
__u32 nsh_path_key(const struct nsh_rule *rule);
struct nsh_flow nsh_flow_key(const struct nsh_rule *rule);

#endif
