// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "rule.h"

#define PORT_MAX	  65535
#define CONTEXT_BYTES_MAX (NSH_BYTES_MAX - NSH_BASE_BYTES - NSH_TLV_BYTES)
#define AT(member)	  offsetof(struct nsh_rule, member)

static const char *parse_context(const char *text, void *options)
{
	struct nsh_rule *rule = options;
	int bytes = option_hex(text, rule->context, CONTEXT_BYTES_MAX);

	rule->context_bytes = bytes;
	return bytes >= 0 ? NULL : bytes == -E2BIG ? "too long" : "not pairs of hexadecimal digits";
}

static const char *parse_protocol(const char *text, void *options)
{
	static const struct {
		const char *name;
		uint8_t number;
	} names[] = { { "icmp", IPPROTO_ICMP }, { "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP } };
	struct nsh_rule *rule = options;
	uint64_t number = 0;
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcasecmp(text, names[i].name)) {
			rule->protocol = names[i].number;
			return NULL;
		}
	}
	why = option_count(text, 0, UINT8_MAX, &number);
	rule->protocol = number;
	return why;
}

static const struct option_row rows[] = {
	[NSH_PINS] = { "pins", OPTION_TEXT, AT(pins), "DIR", .help = "folder of the stages' maps",
		       .allowed = "a folder" },
	[NSH_SPI] = { "spi", OPTION_COUNT, AT(spi), "N", .help = "service path identifier",
		      .minimum = 1, .maximum = NSH_SPI_MAX },
	[NSH_SI] = { "si", OPTION_COUNT, AT(si), "N", .help = "service index", .preset = "255",
		     .minimum = 1, .maximum = NSH_SI_FIRST },
	[NSH_MAC] = { "mac", OPTION_MAC, AT(mac), "MAC",
		      .help = "where packets of this path and index go next" },
	[NSH_SOURCE] = { "source", OPTION_ADDRESS, AT(source), "IP", .help = "of the flow" },
	[NSH_DESTINATION] = { "destination", OPTION_ADDRESS, AT(destination), "IP",
			      .help = "of the flow" },
	[NSH_PROTOCOL] = { "protocol", OPTION_PARSED, .unit = "P", .help = "of the flow",
			   .allowed = "icmp, tcp, udp or 0..255", .parse = parse_protocol },
	[NSH_SOURCE_PORT] = { "source-port", OPTION_COUNT, AT(source_port), "N",
			      .help = "only from it; of ICMP the echo's identifier", .minimum = 1,
			      .maximum = PORT_MAX },
	[NSH_DESTINATION_PORT] = { "destination-port", OPTION_COUNT, AT(destination_port), "N",
				   .help = "only to it; of ICMP the echo's identifier",
				   .minimum = 1, .maximum = PORT_MAX },
	[NSH_METADATA_TYPE] = { "metadata-type", OPTION_COUNT, AT(metadata_type), "N",
				.help = "of the header", .preset = "1", .minimum = 1,
				.maximum = 2 },
	[NSH_CONTEXT] = { "context", OPTION_PARSED, .unit = "HEX", .help = "metadata to carry",
			  .allowed = "pairs of hexadecimal digits, at most 28",
			  .parse = parse_context },
	[NSH_CONTEXT + 1] = {},
};

const struct option_table nsh_rules_table = {
	.program = "nsh_rules COMMAND --pins DIR",
	.about = "  add-path   needs --spi --si --mac\n"
		 "  del-path   needs --spi --si\n"
		 "  add-flow   needs --source --destination --protocol --spi\n"
		 "  del-flow   needs --source --destination --protocol\n"
		 "  list       prints each rule as one line of JSON\n",
	.example =
		"nsh_rules add-path --pins /sys/fs/bpf --spi 7 --si 254 --mac 02:00:00:00:10:02\n",
	.rows = rows,
};
