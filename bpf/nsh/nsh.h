/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network Service Header (RFC 8300) as the stages of a service function chain
 * carry it: Ethernet | NSH | Ethernet | packet. What the stages share with their
 * runners.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  |Ver|O|U|    TTL    |   Length  |U|U|U|U|MD Type| Next Protocol |
 *  |          Service Path Identifier (SPI)        | Service Index |
 */
#ifndef LINERATE_NSH_H
#define LINERATE_NSH_H

#include <linux/types.h>

#define NSH_ETHERTYPE	  0x894F
#define NSH_WORD_BYTES	  4
#define NSH_BASE_BYTES	  8  /* base header and service path header */
#define NSH_CONTEXT_BYTES 16 /* that MD type 1 always carries */
#define NSH_TLV_BYTES	  4  /* head of a metadata field of MD type 2 */
#define NSH_BYTES_MAX	  40 /* longest header that the stages keep; RFC 8300 has up to 252 */
#define NSH_TTL_FIRST	  63
#define NSH_SI_FIRST	  255 /* service index of a classified packet, RFC 8300 section 2.3 */
#define NSH_SPI_MAX	  0xffffff
#define NSH_NEXT_ETHERNET 3
#define NSH_TLV_CLASS	  0xfff6 /* for experiments, RFC 8300 section 9.1.4 */
#define NSH_TLV_TYPE	  1
#define NSH_RULES_MAX	  1024
#define NSH_WORK_NS_MAX	  100000 /* that a function may take with a packet */

#define NSH_VERSION_MASK  0xc000
#define NSH_OAM_MASK	  0x2000
#define NSH_TTL_SHIFT	  6
#define NSH_TTL_MASK	  0x3f
#define NSH_LENGTH_MASK	  0x3f
#define NSH_METADATA_MASK 0x0f

/* First eight bytes, in network order. */
struct nsh_base {
	__u16 ttl_and_length; /* version 2 bits, O, unassigned, TTL 6 bits, length 6 bits */
	__u8 metadata_type;
	__u8 next_protocol;
	__u32 path; /* SPI 24 bits, SI 8 bits */
};

/* A header as it stands on the wire. */
struct nsh_header {
	__u32 bytes_count;
	__u8 bytes[NSH_BYTES_MAX];
};

/* What tells the packets of a flow before the function from those after it; network order. */
struct nsh_flow {
	__u32 source;
	__u32 destination;
	__u16 source_port; /* of an ICMP echo its identifier; of a fragment 0 */
	__u16 destination_port;
	__u8 protocol;
	__u8 unused[3];
};

/* Where packets of a (SPI, SI) go next. */
struct nsh_hop {
	__u8 mac[6];
	__u8 unused[2];
};

/* What became of the packets of a stage; per CPU. */
enum nsh_count {
	NSH_DONE,	  /* the stage did its work */
	NSH_OTHER,	  /* none of its business: let by, untouched */
	NSH_MALFORMED,	  /* dropped, as all below */
	NSH_UNKNOWN_PATH, /* no rule for this (SPI, SI) */
	NSH_UNKNOWN_FLOW, /* not IPv4, or no header was kept for it */
	NSH_TTL_OUT,
	NSH_SI_OUT,
	NSH_NO_ROOM, /* the kernel had no room for the header */
	NSH_EARLY,   /* sent before the counted time: no loss */
	NSH_COUNTS,
};

/* The settings of a stage: each uses what it needs. */
struct nsh_settings {
	__u32 out_ifindex;
	__u32 path_ends;     /* what is stripped here leaves its path: the path must be known */
	__u32 to_socket;     /* frames go to the AF_XDP socket of their queue */
	__u32 to_sff;	     /* every hop goes by the service function forwarder at sff_mac */
	__u32 nsh_aware;     /* the function sees NSH and decrements the service index itself */
	__u32 skip_protocol; /* IP protocol that is left to the stack; 0: none */
	__u32 work_ns;	     /* the function takes as long with each packet */
	__u8 own_mac[6];
	__u8 sff_mac[6];
};

#endif
