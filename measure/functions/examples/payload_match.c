// SPDX-License-Identifier: Apache-2.0
/* Drops frames with a word in their payload. */
#define _GNU_SOURCE
#include "headers.h"

#define HEADERS_BYTES 42

verdict payload_match(uint8_t *frame, uint32_t length, void *state)
{
	static const char word[] = "linerate";

	(void)state;
	if (length <= HEADERS_BYTES)
		return LINERATE_TX;
	if (memmem(frame + HEADERS_BYTES, length - HEADERS_BYTES, word, sizeof(word) - 1))
		return LINERATE_DROP;
	return LINERATE_TX;
}
