/* SPDX-License-Identifier: Apache-2.0 */
/* UDP packets of the generator, and the marks at their end by which the sink knows them. */
#ifndef LINERATE_SWX_FRAME_H
#define LINERATE_SWX_FRAME_H

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

#define SWX_FCS_BYTES	4
#define SWX_SOURCE	0xc6120001U /* 198.18.0.1, for benchmarks (RFC 2544, C.2.2) */
#define SWX_DESTINATION 0xc6130000U /* 198.19.0.0 and the flow's number */
#define SWX_PORT_FIRST	1024
#define SWX_MAGIC	0x6c72746bU

struct swx_headers {
	struct rte_ether_hdr eth;
	struct rte_ipv4_hdr ip;
	struct rte_udp_hdr udp;
} __attribute__((packed, aligned(2)));

/* Last bytes of a packet: there they stay when a program adds or takes headers. */
struct swx_marks {
	uint32_t magic;
	uint32_t window; /* number of the trial, and whether it counts yet */
	uint64_t stamp_cycles;
} __attribute__((packed));

/* Headers of a packet of this size, of flow 0. */
void swx_headers_fill(struct swx_headers *headers, unsigned int packet_bytes);

/* The program may have changed what the packet held before: all headers are written anew. */
static inline void swx_frame_write(struct rte_mbuf *packet, const struct swx_headers *headers,
				   unsigned int packet_bytes, unsigned int flow)
{
	struct swx_headers *to = rte_pktmbuf_mtod(packet, struct swx_headers *);
	uint32_t sum;

	*to = *headers;
	to->udp.src_port = rte_cpu_to_be_16(SWX_PORT_FIRST + flow);
	to->ip.dst_addr = rte_cpu_to_be_32(SWX_DESTINATION + flow);
	sum = rte_be_to_cpu_16((uint16_t)~headers->ip.hdr_checksum) + flow;
	to->ip.hdr_checksum = rte_cpu_to_be_16((uint16_t) ~(sum + (sum >> 16)));
	packet->data_len = packet_bytes;
	packet->pkt_len = packet_bytes;
}

static inline struct swx_marks *swx_frame_marks(struct rte_mbuf *packet)
{
	return rte_pktmbuf_mtod_offset(packet, struct swx_marks *,
				       rte_pktmbuf_data_len(packet) - sizeof(struct swx_marks));
}

#endif
