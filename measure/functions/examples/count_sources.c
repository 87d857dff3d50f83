// SPDX-License-Identifier: Apache-2.0
/* Counts packets by source in a hash table with open addressing, and sends them back. */
#include "headers.h"

#define PLACES 32768
#define LOOKS  16

struct source {
	uint32_t address, packets;
	uint64_t bytes;
};

_Static_assert(PLACES * sizeof(struct source) <= LINERATE_STATE_BYTES, "the state holds them");

static void count(struct source *sources, const struct ip_header *ip, uint32_t length)
{
	uint32_t place, look;

	place = ip->source * 2654435761u >> 17;
	for (look = 0; look < LOOKS; look++, place = (place + 1) % PLACES) {
		struct source *one = &sources[place];

		if (one->packets && one->address != ip->source)
			continue;
		one->address = ip->source;
		one->packets++;
		one->bytes += length;
		break;
	}
}

/* Counts the packet, and drops it. */
verdict drop_count(uint8_t *frame, uint32_t length, void *state)
{
	const struct ip_header *ip = ip_of(frame, length);

	if (ip)
		count(state, ip, length);
	return LINERATE_DROP;
}

verdict count_sources(uint8_t *frame, uint32_t length, void *state)
{
	const struct ip_header *ip = ip_of(frame, length);

	if (!ip)
		return LINERATE_DROP;
	count(state, ip, length);
	swap_addresses(frame);
	return LINERATE_TX;
}
