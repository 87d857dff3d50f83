// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>

#include "options.h"

#define FRAME_BYTES_MIN	    64
#define FCS_BYTES	    4
#define TCP_FRAME_BYTES_MIN (sizeof(struct traffic_tcp_frame) + FCS_BYTES)
#define FRAME_BYTES_MAX	    3500 /* a live frame and its headroom share one page */
#define PID_MAX		    (1 << 22)
#define FD_MAX		    1048575
#define AT(member)	    offsetof(struct traffic_options, member)

static const char *parse_flags(const char *text, void *options)
{
	static const char letters[] = "FSRPAU"; /* from bit 0 of the header's byte on */
	uint8_t *flags = &((struct traffic_options *)options)->tcp_flags;
	const char *found;

	for (*flags = 0; *text; text++) {
		found = strchr(letters, *text);
		if (!found)
			return "no such flag";
		*flags |= 1 << (found - letters);
	}
	return NULL;
}

static const char *parse_prefix(const char *text, void *options)
{
	char *prefix = ((struct traffic_options *)options)->payload_prefix;
	const char *character;

	if (strlen(text) > TRAFFIC_PREFIX_BYTES)
		return "too long";
	for (character = text; *character; character++)
		if (!isprint((unsigned char)*character))
			return "not printable";
	memcpy(prefix, text, strlen(text) + 1);
	return NULL;
}

static const char *const dut_counts[] = { "device", "none", NULL };
static const char *const arrivals[] = {
	[TRAFFIC_FLOOD] = "flood",
	[TRAFFIC_CONSTANT] = "constant",
	[TRAFFIC_POISSON] = "poisson",
	[TRAFFIC_POISSON + 1] = NULL,
};
static const char *const protocols[] = {
	[TRAFFIC_UDP] = "udp",
	[TRAFFIC_TCP] = "tcp",
	[TRAFFIC_TCP + 1] = NULL,
};

static const struct option_row rows[] = {
	{ "dev", OPTION_TEXT, AT(device), "NAME", .help = "interface that frames enter by",
	  .needed = 1 },
	{ "sink-dev", OPTION_TEXT, AT(sink_device), "NAME",
	  .help = "interface that they come back to, in the namespace of --dev (default --dev)" },
	{ "dut-dev", OPTION_TEXT, AT(dut_device), "NAME",
	  .help = "interface of the device under test" },
	{ "dut-netns", OPTION_TEXT, AT(dut_netns), "PATH", .help = "its network namespace" },
	{ "out-dev", OPTION_TEXT, AT(out_device), "NAME",
	  .help = "another interface of that namespace, by which frames leave" },
	{ "far-dev", OPTION_TEXT, AT(far_device), "NAME",
	  .help = "what --out-dev leads to, in the namespace of --dev: a second sink" },
	{ "dut-counts", OPTION_CHOICE, AT(dut_uncounted), "KIND",
	  .help = "none where no single device is under test", .preset = "device",
	  .names = dut_counts },
	{ "cores", OPTION_LIST, AT(cores), "LIST", .help = "one generator on each", .needed = 1,
	  .maximum = TRAFFIC_CORES_MAX - 1, .values_max = TRAFFIC_CORES_MAX },
	{ "frame-bytes", OPTION_LIST, AT(frame_bytes), "LIST",
	  .help = "sizes, one after the other, FCS included", .preset = "64",
	  .minimum = FRAME_BYTES_MIN, .maximum = FRAME_BYTES_MAX, .values_max = TRAFFIC_SIZES_MAX },
	{ "frames", OPTION_TEXT, AT(frames_path), "FILE",
	  .help = "the user's frames, sent as they are; latency cannot be taken of them" },
	{ "arrivals", OPTION_CHOICE, AT(arrivals), "KIND", .help = "how packets are spread in time",
	  .preset = "flood", .names = arrivals },
	{ "packets-per-second", OPTION_NUMBER, AT(packets_per_second), "N",
	  .help = "over all cores; not when flooding", .lowest = 1, .highest = 1e9 },
	{ "link-packets-per-second", OPTION_NUMBER, AT(link_packets_per_second), "N",
	  .help = "most that the imitated link carries; no limit where it is not named",
	  .lowest = 1, .highest = 1e9 },
	{ "burst-packets", OPTION_COUNT, AT(burst_packets), "N", .help = "packets due at once",
	  .preset = "1", .minimum = 1, .maximum = 1 << 20 },
	{ "batch-packets", OPTION_COUNT, AT(batch_packets), "N", .help = "frames flushed together",
	  .preset = "64", .minimum = 1, .maximum = 256 },
	{ "flows", OPTION_COUNT, AT(flows), "N", .help = "UDP source ports, one after the other",
	  .preset = "1", .minimum = 1, .maximum = 60000 },
	{ "protocol", OPTION_CHOICE, AT(protocol), "NAME",
	  .help = "TCP frames have 90 bytes or more", .preset = "udp", .names = protocols },
	{ "tcp-flags", OPTION_PARSED, .unit = "LETTERS", .help = "flags of each TCP packet",
	  .allowed = "letters of FSRPAU, e.g. SR", .parse = parse_flags },
	{ "payload-prefix", OPTION_PARSED, .unit = "TEXT", .help = "first bytes of a TCP payload",
	  .allowed = "at most 16 printable characters", .parse = parse_prefix },
	{ "sources", OPTION_COUNT, AT(sources), "N",
	  .help = "source addresses, one drawn for each packet", .preset = "1", .minimum = 1,
	  .maximum = TRAFFIC_HOSTS_MAX },
	{ "pass-foreign", OPTION_FLAG, AT(pass_foreign),
	  .help = "let the sink pass what is not ours to the stack" },
	{ "sink-skbs", OPTION_FLAG, AT(sink_skbs),
	  .help = "count at tc what comes back, and not at XDP; with --frames" },
	{ "remake-frames", OPTION_FLAG, AT(remade),
	  .help = "give --frames their length anew each time: for a device that changes it" },
	{ "renew-headers", OPTION_FLAG, AT(renewed),
	  .help = "of our frames, that the device forwards to --far-dev: counted at tc there" },
	{ "destination-mac", OPTION_MAC, AT(destination_mac), "MAC", .help = "of each frame",
	  .preset = "02:00:00:00:00:02" },
	{ "stamp", OPTION_FLAG, AT(stamped), .help = "stamp each frame and take its latency" },
	{ "time-stretches", OPTION_FLAG, AT(timed),
	  .help = "time packets by stretches of 50 us, and print quantiles of that" },
	{ "warm-up-seconds", OPTION_NUMBER, AT(warm_up_seconds), "S",
	  .help = "before what is counted", .preset = "0.1", .highest = 3600 },
	{ "seconds", OPTION_NUMBER, AT(seconds), "S", .help = "counted", .preset = "1",
	  .lowest = 0.001, .highest = 3600 },
	{ "window-packets", OPTION_COUNT, AT(window_packets), "N",
	  .help = "most frames on their way from one core; no limit where it is not named",
	  .minimum = 1, .maximum = 1 << 16 },
	{ "wake-fds", OPTION_LIST, AT(wake_fds), "LIST",
	  .help = "event counters, one a core, raised when a window may be back", .maximum = FD_MAX,
	  .values_max = TRAFFIC_CORES_MAX },
	{ "mark-fd", OPTION_COUNT, AT(mark_fd), "N",
	  .help = "gets a line at either end of the counted time", .minimum = 1,
	  .maximum = FD_MAX },
	{ "dut-threads", OPTION_LIST, AT(threads), "LIST",
	  .help = "thread ids whose run time is taken", .minimum = 1, .maximum = PID_MAX },
	{},
};

const struct option_table traffic_table = {
	.program = "traffic",
	.about = "Sends live frames into --dev from one generator on each core, counts what comes "
		 "back,\nprints one JSON line. Ends by itself.\n",
	.example =
		"traffic --dev gen --dut-dev dut --dut-netns /proc/77/ns/net --cores 0 --stamp "
		"\\\n           --arrivals poisson --packets-per-second 500000 --batch-packets 1\n",
	.rows = rows,
};

static uint64_t smallest(const struct option_list *sizes)
{
	uint64_t bytes = FRAME_BYTES_MAX;
	size_t i;

	for (i = 0; i < sizes->count; i++)
		if (sizes->values[i] < bytes)
			bytes = sizes->values[i];
	return bytes;
}

static enum option_outcome check(const struct traffic_options *options)
{
	if (!options->dut_device && !options->dut_uncounted)
		return options_refuse("dut-dev", "", "it is needed", "an interface",
				      "name it, or --dut-counts none");
	if (!options->out_device != !options->far_device)
		return options_refuse("out-dev", "", "it goes with --far-dev", "both or neither",
				      "name both");
	if (options->arrivals != TRAFFIC_FLOOD && !options->packets_per_second)
		return options_refuse("packets-per-second", "", "it is needed unless flooding",
				      "1..1000000000", "name it");
	if (options->frames_path && options->stamped)
		return options_refuse("frames", options->frames_path,
				      "frames that are sent as they are carry no marks",
				      "without --stamp", "leave it out");
	if (options->renewed && (options->frames_path || !options->far_device))
		return options_refuse("renew-headers", "", "it is for our frames, forwarded",
				      "with --far-dev, without --frames", "correct it");
	if (options->remade && !options->frames_path)
		return options_refuse("remake-frames", "", "frames of ours keep their length",
				      "with --frames", "name these, or leave it out");
	if (options->sink_skbs && !options->frames_path)
		return options_refuse("sink-skbs", "", "it counts frames without marks",
				      "with --frames", "name these, or leave it out");
	if (options->protocol == TRAFFIC_UDP && options->tcp_flags)
		return options_refuse("tcp-flags", "", "UDP has none", "with --protocol tcp",
				      "leave it out, or name --protocol tcp");
	if (options->protocol == TRAFFIC_UDP && options->payload_prefix[0])
		return options_refuse("payload-prefix", options->payload_prefix,
				      "UDP packets have none", "with --protocol tcp",
				      "leave it out, or name --protocol tcp");
	if (options->protocol == TRAFFIC_TCP &&
	    smallest(&options->frame_bytes) < TCP_FRAME_BYTES_MIN)
		return options_refuse("frame-bytes", "",
				      "the marks follow the first 16 bytes of a TCP payload",
				      "90 bytes or more", "raise it");
	if (options->wake_fds.count != (options->window_packets ? options->cores.count : 0))
		return options_refuse("wake-fds", "", "it goes with --window-packets",
				      "one for each of --cores", "correct it");
	return OPTIONS_READ;
}

enum option_outcome traffic_parse_options(int argc, char **argv, struct traffic_options *options)
{
	enum option_outcome outcome = options_parse(&traffic_table, argc, argv, options, NULL);

	if (outcome != OPTIONS_READ)
		return outcome;
	if (!options->sink_device)
		options->sink_device = options->device;
	return check(options);
}
