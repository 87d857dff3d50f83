// SPDX-License-Identifier: Apache-2.0
/* Sums up the whole frame (RFC 1071), and drops what sums to zero. */
#include "headers.h"

verdict checksum(uint8_t *frame, uint32_t length, void *state)
{
	uint64_t sum = 0;
	uint32_t at, word;

	(void)state;
	for (at = 0; at + sizeof(word) <= length; at += sizeof(word)) {
		memcpy(&word, frame + at, sizeof(word));
		sum += word;
		asm volatile("" : "+r"(sum)); /* one by one, as most programs do */
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum ? LINERATE_TX : LINERATE_DROP;
}
