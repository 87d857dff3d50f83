// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "frame.h"

#define TTL 64

void swx_headers_fill(struct swx_headers *headers, unsigned int packet_bytes)
{
	static const struct rte_ether_addr device = { { 2, 0, 0, 0, 0, 2 } };
	static const struct rte_ether_addr generator = { { 2, 0, 0, 0, 0, 1 } };
	unsigned int ip_bytes = packet_bytes - sizeof(headers->eth);

	memset(headers, 0, sizeof(*headers));
	headers->eth.dst_addr = device;
	headers->eth.src_addr = generator;
	headers->eth.ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	headers->ip.version_ihl = RTE_IPV4_VHL_DEF;
	headers->ip.total_length = rte_cpu_to_be_16(ip_bytes);
	headers->ip.time_to_live = TTL;
	headers->ip.next_proto_id = IPPROTO_UDP;
	headers->ip.src_addr = rte_cpu_to_be_32(SWX_SOURCE);
	headers->ip.dst_addr = rte_cpu_to_be_32(SWX_DESTINATION);
	headers->ip.hdr_checksum = rte_ipv4_cksum(&headers->ip);
	headers->udp.src_port = rte_cpu_to_be_16(SWX_PORT_FIRST);
	headers->udp.dst_port = rte_cpu_to_be_16(SWX_PORT_FIRST);
	headers->udp.dgram_len = rte_cpu_to_be_16(ip_bytes - sizeof(headers->ip));
	/* A UDP checksum of 0 says that there is none. */
}
