// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bpf/traffic.h" /* the skeleton needs its types */
#include "traffic.skel.h"
#include "frame.h"

#define FCS_BYTES      4
#define PORT_DISCARD   9
#define WINDOW_BYTES   65535
#define TCP_FLAGS_BYTE 13	   /* of its header */
#define DESTINATION    0xc6130001U /* 198.19.0.1 */

/* The Internet checksum (RFC 1071) of an even number of bytes and what was summed before. */
static uint16_t checksum_of(uint32_t sum, const char *bytes, unsigned int length)
{
	uint16_t word;
	unsigned int i;

	for (i = 0; i < length; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static struct ethhdr ethernet_header(const struct traffic_options *options)
{
	struct ethhdr header = { .h_source = { 2, 0, 0, 0, 0, 1 }, .h_proto = htons(ETH_P_IP) };

	memcpy(header.h_dest, options->destination_mac, sizeof(header.h_dest));
	return header;
}

static struct iphdr ip_header(unsigned int packet_bytes, uint8_t protocol)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.ttl = TRAFFIC_TTL,
		.protocol = protocol,
		.tot_len = htons(packet_bytes - sizeof(struct ethhdr)),
		.saddr = htonl(TRAFFIC_SOURCE_NET | TRAFFIC_HOST_FIRST),
		.daddr = htonl(DESTINATION),
	};

	ip.check = checksum_of(0, (char *)&ip, sizeof(ip));
	return ip;
}

static void write_udp(const struct traffic_options *options, unsigned int packet_bytes,
		      char *packet)
{
	struct traffic_udp_frame frame = {
		.eth = ethernet_header(options),
		.ip = ip_header(packet_bytes, IPPROTO_UDP),
		.udp = { .source = htons(TRAFFIC_PORT_FIRST),
			 .dest = htons(PORT_DISCARD),
			 .len = htons(packet_bytes - sizeof(struct ethhdr) -
				      sizeof(struct iphdr)) },
		.payload = { .magic = TRAFFIC_MAGIC },
	};

	memcpy(packet, &frame, sizeof(frame));
}

/* Over all that stays the same: what is set in each packet counts as zero. */
static uint16_t tcp_base_checksum(struct traffic_tcp_frame frame)
{
	unsigned int tcp_bytes = ntohs(frame.ip.tot_len) - sizeof(frame.ip);
	uint32_t pseudo = (frame.ip.daddr & 0xffff) + (frame.ip.daddr >> 16) + htons(IPPROTO_TCP) +
			  htons(tcp_bytes);

	/* Zeros fill the rest of the payload and add nothing. */
	frame.tcp.source = 0;
	return checksum_of(pseudo, (char *)&frame + offsetof(struct traffic_tcp_frame, tcp),
			   sizeof(frame) - offsetof(struct traffic_tcp_frame, tcp));
}

static void write_tcp(const struct traffic_options *options, unsigned int packet_bytes,
		      char *packet)
{
	struct traffic_tcp_frame frame = {
		.eth = ethernet_header(options),
		.ip = ip_header(packet_bytes, IPPROTO_TCP),
		.tcp = { .source = htons(TRAFFIC_PORT_FIRST),
			 .dest = htons(PORT_DISCARD),
			 .doff = sizeof(struct tcphdr) / 4,
			 .window = htons(WINDOW_BYTES) },
		.payload = { .magic = TRAFFIC_MAGIC },
	};

	((char *)&frame.tcp)[TCP_FLAGS_BYTE] = options->tcp_flags;
	memcpy(frame.prefix, options->payload_prefix, strlen(options->payload_prefix));
	frame.tcp.check = tcp_base_checksum(frame);
	memcpy(packet, &frame, sizeof(frame));
}

/* Write the headers and marks of a frame of this size; the rest is zeros already. */
static void write_frame(const struct traffic_options *options, unsigned int packet_bytes,
			char *packet)
{
	if (options->protocol == TRAFFIC_TCP)
		write_tcp(options, packet_bytes, packet);
	else
		write_udp(options, packet_bytes, packet);
}

unsigned int traffic_build_frame(const struct traffic_options *options, char *packet)
{
	const struct option_list *sizes = &options->frame_bytes;
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i < sizes->count; i++)
		if (sizes->values[i] > largest)
			largest = sizes->values[i];
	memset(packet, 0, TRAFFIC_PACKET_BYTES_MAX);
	write_frame(options, largest - FCS_BYTES, packet);
	return largest - FCS_BYTES;
}

static void set_sizes(const struct traffic_options *options, struct traffic_bpf__rodata *rodata)
{
	union {
		struct traffic_tcp_frame tcp;
		struct traffic_udp_frame udp;
	} frame = {};
	size_t i;

	rodata->sizes_count = options->frame_bytes.count;
	for (i = 0; i < options->frame_bytes.count; i++) {
		unsigned int packet_bytes = options->frame_bytes.values[i] - FCS_BYTES;

		write_frame(options, packet_bytes, (char *)&frame);
		rodata->sizes[i].packet_bytes = packet_bytes;
		rodata->sizes[i].ip_bytes = frame.udp.ip.tot_len;
		rodata->sizes[i].ip_checksum = frame.udp.ip.check;
		rodata->sizes[i].udp_bytes = frame.udp.udp.len;
		rodata->sizes[i].tcp_checksum = frame.tcp.tcp.check;
	}
}

/* Equally likely quantiles of the exponential distribution, scaled to a mean of exactly one. */
static void set_gaps(struct traffic_bpf__rodata *rodata)
{
	double gaps[TRAFFIC_GAPS], sum = 0.0;
	int i;

	for (i = 0; i < TRAFFIC_GAPS; i++)
		sum += gaps[i] = -log1p(-(i + 0.5) / TRAFFIC_GAPS);
	for (i = 0; i < TRAFFIC_GAPS; i++)
		rodata->gaps_q16[i] = lround(gaps[i] * TRAFFIC_GAPS / sum * TRAFFIC_GAP_ONE);
}

/* Picoseconds between bursts of one generator at a rate that all of them share. */
static uint64_t burst_gap_ps(const struct traffic_options *options, double packets_per_second)
{
	return 1e12 * options->cores.count * options->burst_packets / packets_per_second;
}

static void set_link_addresses(const struct traffic_options *options,
			       struct traffic_bpf__rodata *rodata)
{
	struct ethhdr header = ethernet_header(options);
	uint32_t words[TRAFFIC_LINK_WORDS];
	int i;

	memcpy(words, &header, sizeof(words));
	for (i = 0; i < TRAFFIC_LINK_WORDS; i++)
		rodata->link_addresses[i] = words[i];
}

void traffic_set_schedule(const struct traffic_options *options, int ifindex,
			  struct traffic_bpf__rodata *rodata)
{
	rodata->out_ifindex = ifindex;
	rodata->arrivals = options->arrivals;
	rodata->burst_packets = options->burst_packets;
	rodata->flows = options->flows;
	rodata->generators = options->cores.count;
	rodata->stamped = options->stamped;
	if (options->timed)
		rodata->stretch_step =
			options->window_packets ? options->window_packets : options->batch_packets;
	rodata->renewed = options->renewed;
	set_link_addresses(options, rodata);
	rodata->protocol = options->protocol;
	rodata->payload_offset_bytes = options->protocol == TRAFFIC_TCP
					       ? offsetof(struct traffic_tcp_frame, payload)
					       : offsetof(struct traffic_udp_frame, payload);
	rodata->sources = options->sources;
	rodata->pass_foreign = options->pass_foreign;
	if (options->arrivals != TRAFFIC_FLOOD)
		rodata->gap_ps = burst_gap_ps(options, options->packets_per_second);
	if (options->link_packets_per_second) {
		rodata->link_gap_ps = burst_gap_ps(options, options->link_packets_per_second);
		rodata->link_slack_ps =
			rodata->link_gap_ps * TRAFFIC_RING_PACKETS / options->burst_packets;
	}
	set_sizes(options, rodata);
	set_gaps(rodata);
}
