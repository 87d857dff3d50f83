/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet function in user space, for `linerate fits MINE.so` and as a program of the datapath
 * af_xdp:
 *
 *     cc -O2 -fPIC -shared -I measure/functions/include -o mine.so mine.c
 */
#ifndef LINERATE_FUNCTION_H
#define LINERATE_FUNCTION_H

#include <stdint.h>

/* Zeros when the function is loaded; each receive queue has its own, and it stays. */
#define LINERATE_STATE_BYTES (1 << 20)

/* What becomes of a frame: XDP's numbers. Any other number drops it, and counts as aborted. */
enum verdict {
	LINERATE_DROP = 1,
	LINERATE_TX = 3, /* back by the interface that it came by */
};

typedef uint32_t verdict;

/*
 * One entry of this form, called for each frame, from several threads at once where there are
 * several queues. The frame may be changed in its place; it has no FCS and keeps its length.
 */
verdict fn(uint8_t *frame, uint32_t length, void *state);

#endif
