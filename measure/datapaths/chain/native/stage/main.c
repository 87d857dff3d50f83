// SPDX-License-Identifier: Apache-2.0
/*
 * Stages of a service function chain in one namespace: loads them anew, pins the maps
 * of their rules for nsh_rules, attaches them, prints one JSON line with their ids, and
 * holds until its standard input closes. Each line on standard input is answered with their counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "common/hold.h"
#include "common/options.h"
#include "load.h"
#include "common/runner.h"

#define FLOWS_MAX    (1 << 20)
#define PROTOCOL_MAX 255

struct options {
	struct nsh_stages stages;
	const char *own_device, *out_device;
	uint8_t sff_mac[OPTION_MAC_BYTES];
	int path_ends, to_socket, nsh_aware;
	uint64_t skip_protocol, flows, work_ns;
};

static const char *parse_attach(const char *text, void *options)
{
	struct nsh_stages *stages = &((struct options *)options)->stages;
	struct nsh_stage *stage = &stages->all[stages->count];
	const char *at = strchr(text, '@');
	int kind;

	if (!at)
		return "it names no interface";
	if (stages->count == NSH_STAGES_MAX)
		return "too many of them";
	if (!at[1] || strlen(at + 1) >= sizeof(stage->device))
		return "not the name of an interface";
	for (kind = 0; kind < NSH_KINDS; kind++) {
		const char *name = nsh_stage_names[kind];

		if (strlen(name) == (size_t)(at - text) && !strncmp(text, name, at - text)) {
			stage->kind = kind;
			memcpy(stage->device, at + 1, strlen(at + 1) + 1);
			stages->count++;
			return NULL;
		}
	}
	return "unknown";
}

#define AT(member) offsetof(struct options, member)

/* In the order of their rows. */
enum row {
	SFF_MAC,
};

static const struct option_row rows[] = {
	[SFF_MAC] = { "sff-mac", OPTION_MAC, AT(sff_mac), "MAC",
		      .help = "fwd sends all to this service function forwarder" },
	{ "objects", OPTION_TEXT, AT(stages.objects), "DIR", .help = "the compiled programs",
	  .needed = 1 },
	{ "pins", OPTION_TEXT, AT(stages.pins), "DIR", .help = "where the rules' maps are pinned",
	  .needed = 1 },
	{ "own-dev", OPTION_TEXT, AT(own_device), "NAME",
	  .help = "interface whose address packets in NSH are sent from and taken for",
	  .needed = 1 },
	{ "attach", OPTION_PARSED, .unit = "STAGE@DEV", .help = "more than once", .needed = 1,
	  .allowed = "up to 8 times one of ", .names = nsh_stage_names, .parse = parse_attach },
	{ "out-dev", OPTION_TEXT, AT(out_device), "NAME", .help = "where entry and cross send to" },
	{ "path-ends", OPTION_FLAG, AT(path_ends),
	  .help = "dec is the end of paths: the rules say of which" },
	{ "to-socket", OPTION_FLAG, AT(to_socket), .help = "dec hands over to AF_XDP sockets" },
	{ "nsh-aware", OPTION_FLAG, AT(nsh_aware), .help = "bounce takes packets in NSH" },
	{ "skip-protocol", OPTION_COUNT, AT(skip_protocol), "N",
	  .help = "IP protocol that cross leaves to the stack", .minimum = 1,
	  .maximum = PROTOCOL_MAX },
	{ "work-ns", OPTION_COUNT, AT(work_ns), "NS",
	  .help = "bounce takes as long with each packet", .maximum = NSH_WORK_NS_MAX },
	{ "flows", OPTION_COUNT, AT(flows), "N", .help = "flows that dec keeps headers of",
	  .preset = "1024", .minimum = 1, .maximum = FLOWS_MAX },
	{},
};

static const struct option_table table = {
	.program = "nsh_stage",
	.about = "Attaches until standard input closes; a line on it is answered with counts in "
		 "JSON.\n",
	.example = "nsh_stage --objects build/bpf --pins /sys/fs/bpf --own-dev uplink \\\n"
		   "           --attach dec@uplink --attach enc@uplink --attach fwd@uplink\n",
	.rows = rows,
};

static int read_own_mac(const char *device, __u8 *mac)
{
	struct ifreq request = {};
	int error = 0, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		error = -errno;
	else
		memcpy(mac, request.ifr_hwaddr.sa_data, OPTION_MAC_BYTES);
	close(fd);
	return error;
}

/* What the programs are loaded with; 0 or -errno with the reason on stderr. */
static int set_settings(struct options *options, uint64_t given)
{
	struct nsh_settings *settings = &options->stages.settings;
	int error = read_own_mac(options->own_device, settings->own_mac);

	if (error) {
		runner_complain(options->own_device, error);
		return error;
	}
	if (options->out_device) {
		settings->out_ifindex = if_nametoindex(options->out_device);
		if (!settings->out_ifindex) {
			error = -errno;
			runner_complain(options->out_device, error);
			return error;
		}
	}
	settings->to_sff = given >> SFF_MAC & 1;
	memcpy(settings->sff_mac, options->sff_mac, sizeof(settings->sff_mac));
	settings->path_ends = options->path_ends;
	settings->to_socket = options->to_socket;
	settings->nsh_aware = options->nsh_aware;
	settings->skip_protocol = options->skip_protocol;
	settings->work_ns = options->work_ns;
	options->stages.flows = options->flows;
	return 0;
}

/* Sums of each count over all CPUs. */
static int read_counts(const struct nsh_stage *stage, uint64_t *sums)
{
	int i, error = 0, cpus = libbpf_num_possible_cpus();
	uint64_t *values;
	__u32 what;

	if (cpus < 0)
		return cpus;
	values = calloc(cpus, sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (what = 0; !error && what < NSH_COUNTS; what++) {
		error = bpf_map_lookup_elem(stage->counts_fd, &what, values);
		for (i = 0, sums[what] = 0; i < cpus; i++)
			sums[what] += values[i];
	}
	free(values);
	return error;
}

static void print_name(const struct nsh_stage *stage, const char *before)
{
	printf("%s\"%s@%s\": ", before, nsh_stage_names[stage->kind], stage->device);
}

static int print_counts(void *of)
{
	static const char *const names[NSH_COUNTS] = {
		[NSH_DONE] = "done",
		[NSH_OTHER] = "other",
		[NSH_MALFORMED] = "malformed",
		[NSH_UNKNOWN_PATH] = "unknown_path",
		[NSH_UNKNOWN_FLOW] = "unknown_flow",
		[NSH_TTL_OUT] = "ttl",
		[NSH_SI_OUT] = "si",
		[NSH_NO_ROOM] = "no_room",
		[NSH_EARLY] = "early",
	};
	const struct nsh_stages *stages = of;
	uint64_t counts[NSH_STAGES_MAX][NSH_COUNTS];
	int i, what, error = 0;

	for (i = 0; !error && i < stages->count; i++)
		error = read_counts(&stages->all[i], counts[i]);
	if (error)
		return error;
	for (i = 0; i < stages->count; i++) {
		print_name(&stages->all[i], i ? ", " : "{");
		for (what = 0; what < NSH_COUNTS; what++)
			printf("%s\"%s\": %" PRIu64, what ? ", " : "{", names[what],
			       counts[i][what]);
		printf("}");
	}
	printf("}\n");
	return 0;
}

static int print_attached(const struct nsh_stages *stages)
{
	__u32 ids[NSH_STAGES_MAX] = {};
	int i, error = 0;

	for (i = 0; !error && i < stages->count; i++) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		error = bpf_obj_get_info_by_fd(stages->all[i].program_fd, &info, &size);
		ids[i] = info.id;
	}
	if (error)
		return error;
	for (i = 0; i < stages->count; i++) {
		print_name(&stages->all[i], i ? ", " : "{\"attached\": {");
		printf("%u", ids[i]);
	}
	printf("}}\n");
	return fflush(stdout) ? -errno : 0;
}

int main(int argc, char **argv)
{
	static struct options options;
	struct nsh_stages *stages = &options.stages;
	uint64_t given;
	enum option_outcome outcome = options_parse(&table, argc, argv, &options, &given);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&table, outcome);
	runner_quiet_libbpf();
	error = runner_die_with_parent();
	if (!error)
		error = set_settings(&options, given);
	if (error)
		return runner_exit_code(error);
	error = nsh_load(stages);
	if (error)
		goto out;
	error = nsh_attach(stages);
	if (error)
		goto out;
	error = print_attached(stages);
	if (!error)
		error = hold(print_counts, stages);
	if (error)
		runner_complain("counts", error);
out:
	nsh_unload(stages);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
