/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test run of a user's program shares with the program that feeds it frames. */
#ifndef LINERATE_FEED_H
#define LINERATE_FEED_H

#include <linux/types.h>

#define FEED_PACKET_BYTES_MIN 14
#define FEED_PACKET_BYTES_MAX 2044
#define FEED_FRAMES_MAX	      4096
#define FEED_ORDER_MAX	      65536
#define FEED_SEGMENTS_MAX     1024
#define FEED_SAMPLES_MAX      262144

/* Which program is fed. */
enum feed_slot {
	FEED_EMPTY,	/* does nothing: what remains is the feeding */
	FEED_YARDSTICK, /* work that never changes */
	FEED_TESTED,
	FEED_SLOTS,
};

struct feed_frame {
	__u32 packet_bytes;
	__u8 packet[FEED_PACKET_BYTES_MAX];
};

/* Some frames, one after the other, to one program; timed as a whole. */
struct feed_segment {
	__u32 slot;
	__u32 first; /* place in the order to begin at */
	__u32 count; /* places that take part, again and again */
	__u32 at;    /* the next of them: where the segment goes on when it comes again */
	__u32 runs;
};

/* Segments come in turn, again and again; a sample for each. */
struct feed_turn {
	__u64 origin; /* address of the packet's first byte before any program moved it */
	__u64 data;   /* where it is now */
	__u64 began_ns;
	__u64 settled; /* written behind each frame */
	__u32 segments;
	__u32 segment;
	__u32 left; /* runs of the segment */
	__u32 samples;
	__u32 failures;	 /* frames that could not be put back */
	__u32 fed_bytes; /* length of the frame before, as it was fed; at tc */
};

#endif
