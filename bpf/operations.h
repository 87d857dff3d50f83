/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the program of chosen operations shares with its runner. */
#ifndef LINERATE_OPERATIONS_H
#define LINERATE_OPERATIONS_H

#include <linux/types.h>

#define OPERATIONS_QUEUES_MAX	  64
#define OPERATIONS_STRIDE	  64	/* operations that one call of a loop's body does */
#define OPERATIONS_COUNT_MAX	  16384 /* for each packet and kind: a poll of 64 must end some day */
#define OPERATIONS_TAIL_CALLS_MAX 33	/* the kernel's own limit */
#define OPERATIONS_READ_BYTES	  60	/* what reads range over: a smallest frame without FCS */
#define OPERATIONS_HEADER_BYTES	  20	/* an IPv4 header: summed, pushed and popped */

/* In the order in which a packet gets them. */
enum operations_kind {
	OPERATIONS_ARRAY_LOOKUP,
	OPERATIONS_PERCPU_ARRAY_LOOKUP,
	OPERATIONS_HASH_LOOKUP,
	OPERATIONS_LRU_HASH_LOOKUP,
	OPERATIONS_LPM_LOOKUP,
	OPERATIONS_SHARED_HASH_ADD,
	OPERATIONS_KEY_ONLY, /* what a lookup does before it looks up */
	OPERATIONS_PACKET_READ,
	OPERATIONS_CHECKSUM,
	OPERATIONS_PACKET_WRITE,
	OPERATIONS_HEADER_PUSH_POP,
	OPERATIONS_TAIL_CALL,
	OPERATIONS_KINDS,
	OPERATIONS_TABLES = OPERATIONS_KEY_ONLY, /* kinds before it look a table up */
};

/* The whole read-only data of the program. */
struct operations_settings {
	__u32 counts[OPERATIONS_KINDS];	      /* operations of each kind for each packet */
	__u32 entries[OPERATIONS_TABLES + 1]; /* that the keys of one queue range over */
	__u32 lpm_shift; /* bits of an address below the ones that tell entries apart */
};

/* An entry: one cache line's worth. */
struct operations_value {
	__u64 lookups;
	__u64 rest[7];
};

struct operations_lpm_key {
	__u32 prefix_bits;
	__u32 address; /* network order */
};

/* State and results of one receive queue, which one core serves. */
struct operations_walk {
	__u32 draw;	/* state of the generator of keys */
	__u32 checksum; /* of the last packet, not folded */
	__u64 sum;	/* of all that was read from packets, and of keys alone */
	__u64 calls;	/* tail calls made */
	__u64 calls_left;
} __attribute__((aligned(128)));

#endif
