/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that runs a user's function to time it: as nobody where it was root, without
 * capabilities, files to write, children or a network, for a bounded time; and what it says where
 * the function breaks.
 */
#ifndef LINERATE_FUNCTION_CONFINED_H
#define LINERATE_FUNCTION_CONFINED_H

#include <stdint.h>

/* What the process is doing, for words about its end. */
struct doing {
	const char *entry; /* NULL while the object is loaded */
	const uint8_t *frame;
	uint32_t packet_bytes;
	uint32_t number;
	/* Pages around the frame that nobody may touch; NULL: none. */
	const uint8_t *guard_before, *guard_behind;
	uint64_t steps; /* grows while all goes well */
};

extern volatile struct doing doing;

/* Give up all rights but those to load a library; 0 or -errno with the reason on stderr. */
int confined_to_load(void);
/* Give up what loading needed. */
int confined_to_run(void);

#endif
