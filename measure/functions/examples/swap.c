// SPDX-License-Identifier: Apache-2.0
/* Sends each frame back to who sent it. */
#include "headers.h"

verdict swap(uint8_t *frame, uint32_t length, void *state)
{
	struct ip_header *ip = ip_of(frame, length);
	uint32_t address;

	(void)state;
	swap_addresses(frame);
	if (!ip)
		return LINERATE_TX;
	address = ip->source;
	ip->source = ip->destination;
	ip->destination = address;
	return LINERATE_TX;
}
