/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples know of a frame: Ethernet, IPv4 without options, UDP. */
#ifndef LINERATE_EXAMPLE_HEADERS_H
#define LINERATE_EXAMPLE_HEADERS_H

#include <arpa/inet.h>
#include <string.h>

#include "linerate_function.h"

#define MAC_BYTES 6
#define ETH_BYTES 14
#define IP_BYTES  20

struct ip_header {
	uint8_t version, service;
	uint16_t length, id, fragment;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint32_t source, destination;
} __attribute__((packed));

static inline struct ip_header *ip_of(uint8_t *frame, uint32_t length)
{
	struct ip_header *ip = (struct ip_header *)(frame + ETH_BYTES);

	if (length < ETH_BYTES + IP_BYTES || frame[12] != 0x08 || frame[13] != 0x00)
		return NULL;
	return ip->version == 0x45 ? ip : NULL;
}

static inline void swap_addresses(uint8_t *frame)
{
	uint8_t to[MAC_BYTES];

	memcpy(to, frame, MAC_BYTES);
	memcpy(frame, frame + MAC_BYTES, MAC_BYTES);
	memcpy(frame + MAC_BYTES, to, MAC_BYTES);
}

#endif
