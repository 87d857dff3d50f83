// SPDX-License-Identifier: Apache-2.0
/* Drops UDP from 198.18.0.0/16, and sends all else back. */
#include "headers.h"

#define UDP    17
#define SUBNET 0xc6120000
#define MASK   0xffff0000

verdict filter_subnet(uint8_t *frame, uint32_t length, void *state)
{
	const struct ip_header *ip = ip_of(frame, length);

	(void)state;
	if (ip && ip->protocol == UDP && (ntohl(ip->source) & MASK) == SUBNET)
		return LINERATE_DROP;
	return LINERATE_TX;
}
