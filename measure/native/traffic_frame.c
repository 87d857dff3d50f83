// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <math.h>
#include <string.h>

#include "../../bpf/traffic.h" /* the skeleton needs its types */
#include "../../build/bpf/traffic.skel.h"
#include "traffic_frame.h"

#define FCS_BYTES    4
#define PORT_DISCARD 9
#define TTL	     64

struct headers {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct traffic_payload payload;
} __attribute__((packed));

static uint16_t ip_checksum(struct iphdr ip)
{
	uint16_t words[sizeof(ip) / 2];
	uint32_t sum = 0;
	unsigned int i;

	memcpy(words, &ip, sizeof(words));
	for (i = 0; i < sizeof(words) / 2; i++)
		sum += words[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static struct headers headers_of(unsigned int packet_bytes)
{
	struct headers headers = {
		.eth = { .h_dest = { 2, 0, 0, 0, 0, 2 },
			 .h_source = { 2, 0, 0, 0, 0, 1 },
			 .h_proto = htons(ETH_P_IP) },
		.ip = { .version = 4,
			.ihl = 5,
			.ttl = TTL,
			.protocol = IPPROTO_UDP,
			.tot_len = htons(packet_bytes - sizeof(struct ethhdr)),
			/* 198.18.0.0/15 is for benchmarks (RFC 2544, appendix C.2.2) */
			.saddr = htonl(0xc6120001),
			.daddr = htonl(0xc6130001) },
		.udp = { .source = htons(TRAFFIC_PORT_FIRST),
			 .dest = htons(PORT_DISCARD),
			 .len = htons(packet_bytes - sizeof(struct ethhdr) -
				      sizeof(struct iphdr)) },
		.payload = { .magic = TRAFFIC_MAGIC },
	};

	headers.ip.check = ip_checksum(headers.ip);
	return headers;
}

unsigned int traffic_build_frame(const struct traffic_options *options, char *packet)
{
	long largest = 0;
	struct headers headers;
	int i;

	for (i = 0; i < options->frame_bytes_count; i++)
		if (options->frame_bytes[i] > largest)
			largest = options->frame_bytes[i];
	headers = headers_of(largest - FCS_BYTES);
	memset(packet, 0, TRAFFIC_PACKET_BYTES_MAX);
	memcpy(packet, &headers, sizeof(headers));
	return largest - FCS_BYTES;
}

static void set_sizes(const struct traffic_options *options, struct traffic_bpf__rodata *rodata)
{
	struct headers headers;
	int i;

	rodata->sizes_count = options->frame_bytes_count;
	for (i = 0; i < options->frame_bytes_count; i++) {
		headers = headers_of(options->frame_bytes[i] - FCS_BYTES);
		rodata->sizes[i].packet_bytes = options->frame_bytes[i] - FCS_BYTES;
		rodata->sizes[i].ip_bytes = headers.ip.tot_len;
		rodata->sizes[i].ip_checksum = headers.ip.check;
		rodata->sizes[i].udp_bytes = headers.udp.len;
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

/* Picoseconds between trains of one generator at a rate that all of them share. */
static uint64_t train_gap_ps(const struct traffic_options *options, double packets_per_second)
{
	return 1e12 * options->cores_count * options->train_packets / packets_per_second;
}

void traffic_set_schedule(const struct traffic_options *options, int ifindex,
			  struct traffic_bpf__rodata *rodata)
{
	rodata->out_ifindex = ifindex;
	rodata->arrivals = options->arrivals;
	rodata->train_packets = options->train_packets;
	rodata->flows = options->flows;
	rodata->stamped = options->stamped;
	if (options->arrivals != TRAFFIC_FLOOD)
		rodata->gap_ps = train_gap_ps(options, options->packets_per_second);
	if (options->link_packets_per_second) {
		rodata->link_gap_ps = train_gap_ps(options, options->link_packets_per_second);
		rodata->link_slack_ps =
			rodata->link_gap_ps * TRAFFIC_RING_PACKETS / options->train_packets;
	}
	set_sizes(options, rodata);
	set_gaps(rodata);
}
