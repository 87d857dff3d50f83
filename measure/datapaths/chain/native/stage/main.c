// SPDX-License-Identifier: Apache-2.0
/*
 * Stages of a service function chain in one namespace: loads them anew, pins the maps
 * of their rules for nsh_rules, attaches them, says so in one JSON line with their ids, and
 * holds until its standard input closes. Each line on standard input is answered with their counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "common/hold.h"
#include "load.h"
#include "../words.h"
#include "common/runner.h"

#define FLOWS_MAX (1 << 20)

static const char usage[] =
	"Usage: nsh_stage --objects DIR --pins DIR --own-dev NAME --attach STAGE@DEV ... [options]\n"
	"Attaches until standard input closes; a line on it is answered with counts in JSON.\n"
	"  --attach STAGE@DEV   classify, dec, enc, fwd, hub, bounce, entry, cross or socket; up to 8\n"
	"  --own-dev NAME       device whose address packets in NSH are sent from and taken for\n"
	"  --out-dev NAME       where entry and cross send to\n"
	"  --hub-mac MAC        fwd sends all to this forwarder\n"
	"  --path-ends          dec is the end of paths: the rules say of which\n"
	"  --to-socket          dec hands over to AF_XDP sockets\n"
	"  --nsh-aware          bounce takes packets in NSH\n"
	"  --skip-protocol N    IP protocol that cross leaves to the stack\n"
	"  --flows N            flows that dec keeps headers of (default 1024)\n"
	"Example: nsh_stage --objects build/bpf --pins /sys/fs/bpf --own-dev uplink \\\n"
	"           --attach dec@uplink --attach enc@uplink --attach fwd@uplink\n";

enum option_key {
	OBJECTS = 1,
	PINS,
	ATTACH,
	OWN_DEV,
	OUT_DEV,
	HUB_MAC,
	PATH_ENDS,
	TO_SOCKET,
	NSH_AWARE,
	SKIP_PROTOCOL,
	FLOWS,
};

static const struct option known[] = {
	{ "objects", required_argument, NULL, OBJECTS },
	{ "pins", required_argument, NULL, PINS },
	{ "attach", required_argument, NULL, ATTACH },
	{ "own-dev", required_argument, NULL, OWN_DEV },
	{ "out-dev", required_argument, NULL, OUT_DEV },
	{ "hub-mac", required_argument, NULL, HUB_MAC },
	{ "path-ends", no_argument, NULL, PATH_ENDS },
	{ "to-socket", no_argument, NULL, TO_SOCKET },
	{ "nsh-aware", no_argument, NULL, NSH_AWARE },
	{ "skip-protocol", required_argument, NULL, SKIP_PROTOCOL },
	{ "flows", required_argument, NULL, FLOWS },
	{},
};

static int add_stage(struct nsh_stages *stages, const char *text)
{
	struct nsh_stage *stage = &stages->all[stages->count];
	const char *at = strchr(text, '@');

	if (stages->count == NSH_STAGES_MAX || !at || at - text >= (int)sizeof(stage->name) ||
	    strlen(at + 1) >= sizeof(stage->device))
		return -EINVAL;
	memcpy(stage->name, text, at - text);
	strcpy(stage->device, at + 1);
	if (!nsh_is_stage(stage->name))
		return -EINVAL;
	stages->count++;
	return 0;
}

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
		memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	close(fd);
	return error;
}

static int parse_number(const char *text, double max, __u32 *value)
{
	double number;

	if (runner_parse_number(text, 1, max, &number))
		return -EINVAL;
	*value = number;
	return 0;
}

static int parse_one(int key, const char *text, struct nsh_stages *stages)
{
	struct nsh_settings *settings = &stages->settings;

	switch (key) {
	case OBJECTS:
		stages->objects = text;
		return 0;
	case PINS:
		stages->pins = text;
		return 0;
	case ATTACH:
		return add_stage(stages, text);
	case OWN_DEV:
		return read_own_mac(text, settings->own_mac);
	case OUT_DEV:
		settings->out_ifindex = if_nametoindex(text);
		return settings->out_ifindex ? 0 : -errno;
	case HUB_MAC:
		settings->to_hub = 1;
		return nsh_parse_mac(text, settings->hub_mac);
	case PATH_ENDS:
		settings->path_ends = 1;
		return 0;
	case TO_SOCKET:
		settings->to_socket = 1;
		return 0;
	case NSH_AWARE:
		settings->nsh_aware = 1;
		return 0;
	case SKIP_PROTOCOL:
		return parse_number(text, 255, &settings->skip_protocol);
	case FLOWS:
		return parse_number(text, FLOWS_MAX, &stages->flows);
	default:
		return -EINVAL;
	}
}

static int parse_options(int argc, char **argv, struct nsh_stages *stages)
{
	int key, error, index = 0;

	while ((key = getopt_long(argc, argv, "", known, &index)) != -1) {
		if (key == '?')
			return -EINVAL;
		error = parse_one(key, optarg, stages);
		if (error) {
			fprintf(stderr, "--%s=%s: ", known[index].name, optarg ? optarg : "");
			runner_complain("it cannot be used", error);
			return error;
		}
	}
	return stages->objects && stages->pins && stages->count ? 0 : -EINVAL;
}

static uint64_t read_count(const struct nsh_stage *stage, __u32 what)
{
	int i, cpus = libbpf_num_possible_cpus();
	uint64_t sum = 0, *values = cpus > 0 ? calloc(cpus, sizeof(*values)) : NULL;

	if (values && !bpf_map_lookup_elem(stage->counts_fd, &what, values))
		for (i = 0; i < cpus; i++)
			sum += values[i];
	free(values);
	return sum;
}

static void print_counts(void *of)
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
	int i, what;

	for (i = 0; i < stages->count; i++) {
		const struct nsh_stage *stage = &stages->all[i];

		printf("%s\"%s@%s\": {", i ? ", " : "{", stage->name, stage->device);
		for (what = 0; what < NSH_COUNTS; what++)
			printf("%s\"%s\": %" PRIu64, what ? ", " : "", names[what],
			       read_count(stage, what));
		printf("}");
	}
	printf("}\n");
}

static void print_attached(const struct nsh_stages *stages)
{
	int i;

	for (i = 0; i < stages->count; i++) {
		const struct nsh_stage *stage = &stages->all[i];
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		bpf_obj_get_info_by_fd(stage->program_fd, &info, &size);
		printf("%s\"%s@%s\": %u", i ? ", " : "{\"attached\": {", stage->name, stage->device,
		       info.id);
	}
	printf("}}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct nsh_stages stages = { .flows = NSH_RULES_MAX };
	int error;

	if (parse_options(argc, argv, &stages)) {
		fputs(usage, stderr);
		return RUNNER_USAGE;
	}
	runner_quiet_libbpf();
	error = runner_die_with_parent();
	if (!error)
		error = nsh_load(&stages);
	if (!error)
		error = nsh_attach(&stages);
	if (!error) {
		print_attached(&stages);
		chain_hold(print_counts, &stages);
	}
	nsh_unload(&stages);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
