// SPDX-License-Identifier: Apache-2.0
/*
 * Rules of a service function chain: adds, deletes and lists what the stages of a
 * namespace go by, on the maps that nsh_stage has pinned.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "rule.h"
#include "common/runner.h"

#define BIT(row) (1ULL << (row))
#define PATH	 (BIT(NSH_PINS) | BIT(NSH_SPI) | BIT(NSH_SI))
#define FLOW	 (BIT(NSH_PINS) | BIT(NSH_SOURCE) | BIT(NSH_DESTINATION) | BIT(NSH_PROTOCOL))

static int open_map(const struct nsh_rule *rule, const char *name)
{
	char path[256];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", rule->pins, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = bpf_obj_get(path);
	if (fd < 0)
		options_refuse("pins", path, "no stage here goes by such rules",
			       "the folder that nsh_stage was given", "start nsh_stage first");
	return fd;
}

static void name_path(const struct nsh_rule *rule, char *name, size_t size)
{
	snprintf(name, size, "%" PRIu64 "/%" PRIu64, rule->spi, rule->si);
}

static void name_flow(const struct nsh_flow *flow, char *name, size_t size)
{
	char source[INET_ADDRSTRLEN], destination[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &flow->source, source, sizeof(source));
	inet_ntop(AF_INET, &flow->destination, destination, sizeof(destination));
	snprintf(name, size, "%s>%s/%u", source, destination, flow->protocol);
}

static int explain(int error, const char *field, const char *name)
{
	if (error == -EEXIST)
		options_refuse(field, name, "there is a rule for it already", "one without",
			       "delete that first");
	else if (error == -ENOENT)
		options_refuse(field, name, "there is no rule for it", "what list shows",
			       "correct it");
	else if (error == -E2BIG)
		options_refuse(field, name, "the table is full", "1024 rules", "delete some first");
	return error;
}

static int change(const struct nsh_rule *rule, const char *map, const void *key, const void *value,
		  const char *field, const char *name)
{
	int error, fd = open_map(rule, map);

	if (fd < 0)
		return fd;
	error = value ? bpf_map_update_elem(fd, key, value, BPF_NOEXIST)
		      : bpf_map_delete_elem(fd, key);
	close(fd);
	return explain(error, field, name);
}

static int change_path(const struct nsh_rule *rule, const struct nsh_hop *hop)
{
	__u32 key = nsh_path_key(rule);
	char name[64];

	name_path(rule, name, sizeof(name));
	return change(rule, "paths", &key, hop, "path", name);
}

static int add_path(const struct nsh_rule *rule)
{
	struct nsh_hop hop = {};
	int error = nsh_need(rule, PATH | BIT(NSH_MAC));

	memcpy(hop.mac, rule->mac, sizeof(hop.mac));
	return error ? error : change_path(rule, &hop);
}

static int del_path(const struct nsh_rule *rule)
{
	int error = nsh_need(rule, PATH);

	return error ? error : change_path(rule, NULL);
}

static int change_flow(const struct nsh_rule *rule, const struct nsh_header *header)
{
	struct nsh_flow flow = nsh_flow_key(rule);
	char name[64];

	name_flow(&flow, name, sizeof(name));
	return change(rule, "flows", &flow, header, "flow", name);
}

static int add_flow(const struct nsh_rule *rule)
{
	struct nsh_header header;
	int error = nsh_need(rule, FLOW | BIT(NSH_SPI));

	if (!error)
		error = nsh_build_header(rule, &header);
	return error ? error : change_flow(rule, &header);
}

static int del_flow(const struct nsh_rule *rule)
{
	int error = nsh_need(rule, FLOW);

	return error ? error : change_flow(rule, NULL);
}

static void print_path(const void *key, const void *value)
{
	__u32 path = ntohl(*(const __u32 *)key);
	const struct nsh_hop *hop = value;

	printf("{\"spi\": %u, \"si\": %u, \"mac\": \"%02x:%02x:%02x:%02x:%02x:%02x\"}\n", path >> 8,
	       path & 0xff, hop->mac[0], hop->mac[1], hop->mac[2], hop->mac[3], hop->mac[4],
	       hop->mac[5]);
}

static void print_flow(const void *key, const void *value)
{
	const struct nsh_header *header = value;
	const struct nsh_flow *flow = key;
	char name[64];
	__u32 i;

	name_flow(flow, name, sizeof(name));
	printf("{\"flow\": \"%s\", \"source_port\": %u, \"destination_port\": %u, \"header\": \"",
	       name, ntohs(flow->source_port), ntohs(flow->destination_port));
	for (i = 0; i < header->bytes_count && i < NSH_BYTES_MAX; i++)
		printf("%02x", header->bytes[i]);
	printf("\"}\n");
}

/* Print every entry; a map that is not there has none. */
static int print_all(const struct nsh_rule *rule, const char *map,
		     void (*print)(const void *key, const void *value))
{
	struct nsh_flow key, before; /* the largest key */
	struct nsh_header value;     /* and value */
	char path[256];
	int fd, next;

	snprintf(path, sizeof(path), "%s/%s", rule->pins, map);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	for (next = bpf_map_get_next_key(fd, NULL, &key); !next;
	     next = bpf_map_get_next_key(fd, &before, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &value))
			print(&key, &value);
		before = key;
	}
	close(fd);
	return next == -ENOENT ? 0 : next;
}

static int list(const struct nsh_rule *rule)
{
	int error = nsh_need(rule, BIT(NSH_PINS));

	if (!error)
		error = print_all(rule, "flows", print_flow);
	return error ? error : print_all(rule, "paths", print_path);
}

static const struct command {
	const char *name;
	int (*run)(const struct nsh_rule *rule);
} commands[] = {
	{ "add-path", add_path }, { "del-path", del_path }, { "add-flow", add_flow },
	{ "del-flow", del_flow }, { "list", list },
};

/* The command of a name; NULL with the reason on stderr. */
static const struct command *find_command(const char *name)
{
	static const char names[] = "add-path, del-path, add-flow, del-flow or list";
	size_t i;

	for (i = 0; name && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	options_refuse("command", name ? name : "", name ? "unknown" : "it is needed", names,
		       "name one of them, then its options");
	return NULL;
}

int main(int argc, char **argv)
{
	struct nsh_rule rule = {};
	const struct command *command;
	enum option_outcome outcome;
	int error;

	if (argc > 1 && !strcmp(argv[1], "--help"))
		return options_exit(&nsh_rules_table, OPTIONS_HELP);
	command = find_command(argv[1]);
	if (!command)
		return RUNNER_USAGE;
	outcome = options_parse(&nsh_rules_table, argc - 1, argv + 1, &rule, &rule.given);
	if (outcome != OPTIONS_READ)
		return options_exit(&nsh_rules_table, outcome);
	runner_quiet_libbpf();
	error = command->run(&rule);
	if (!error)
		return RUNNER_DONE;
	if (error == -EINVAL || error == -EEXIST || error == -ENOENT || error == -E2BIG)
		return RUNNER_USAGE; /* the reason is on stderr already */
	runner_complain(command->name, error);
	return runner_exit_code(error);
}
