/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the generator and sink programs share with their runner. */
#ifndef LINERATE_TRAFFIC_H
#define LINERATE_TRAFFIC_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <linux/udp.h>

#define TRAFFIC_CORES_MAX    64
#define TRAFFIC_SIZES_MAX    16	   /* slots of a frame-size mix, one after the other */
#define TRAFFIC_GAPS	     4096  /* quantiles of the exponential distribution */
#define TRAFFIC_GAP_ONE	     65536 /* a gap of one mean, in the table's fixed point */
#define TRAFFIC_POLL_NS_MAX  300   /* reads of the clock further apart had work between */
#define TRAFFIC_RING_PACKETS 256   /* frames that a veth's ring holds */
#define TRAFFIC_LOOPBACK     1	   /* its index in any namespace */
#define TRAFFIC_MAGIC	     0x6c72746bU
#define TRAFFIC_PORT_FIRST   1024
#define TRAFFIC_SOURCE_NET   0xc6120000U /* 198.18.0.0/16, for benchmarks (RFC 2544, C.2.2) */
#define TRAFFIC_HOST_FIRST   1
#define TRAFFIC_HOSTS_MAX    65534
#define TRAFFIC_TTL	     64
#define TRAFFIC_LINK_WORDS   3	   /* of both addresses of a frame */
#define TRAFFIC_PREFIX_BYTES 16	   /* of a TCP payload, before the marks */
#define TRAFFIC_STRETCH_NS   50000 /* at least, what is timed together */
#define TRAFFIC_STRETCH_OF   64	   /* packets that its time is given for */
#define TRAFFIC_STRETCHES    8192  /* the last of a trial, on each core */

/* Log-linear buckets: 32 to an octave, so a bucket is at most 3.1 % wide. */
#define TRAFFIC_SUB_BITS 5
#define TRAFFIC_SUB	 (1 << TRAFFIC_SUB_BITS)
#define TRAFFIC_BUCKETS	 1024

enum traffic_arrivals {
	TRAFFIC_FLOOD,	  /* as fast as the path takes them */
	TRAFFIC_CONSTANT, /* a burst of packets every gap */
	TRAFFIC_POISSON,  /* gaps drawn from the exponential distribution */
};

enum traffic_protocol {
	TRAFFIC_UDP,
	TRAFFIC_TCP,
};

enum traffic_phase {
	TRAFFIC_WARM_UP,
	TRAFFIC_MEASURED,
	TRAFFIC_STOP,
	TRAFFIC_HOLD, /* until every generator runs: what is sent before would be in no window */
	TRAFFIC_PHASES = TRAFFIC_STOP, /* in which frames are sent */
};

/* Marks of a frame: the first bytes of a UDP payload, so that they fit a 64-byte frame. */
struct traffic_payload {
	__u32 magic;
	__u32 phase;
	__u64 stamp_ns;
} __attribute__((packed));

struct traffic_udp_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct traffic_payload payload;
} __attribute__((packed));

/* The ports stand where those of UDP do. */
struct traffic_tcp_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr tcp;
	char prefix[TRAFFIC_PREFIX_BYTES];
	struct traffic_payload payload;
} __attribute__((packed));

/* One size of the mix, with the header fields that depend on it, in network order. */
struct traffic_size {
	__u16 packet_bytes;
	__u16 ip_bytes;
	__u16 ip_checksum;
	__u16 udp_bytes;
	__u16 tcp_checksum; /* with source address, source port, phase and stamp of zero */
};

/* State and counts of the generator on one core. */
struct traffic_lane {
	__u64 start_ns;	 /* origin of the schedule; 0: not begun */
	__u64 due_ps;	 /* when the next burst is due, after start_ns */
	__u64 free_ps;	 /* when the link has sent all before, after start_ns */
	__u64 credit;	 /* packets of the burst that are still to go */
	__u64 polled_ns; /* last read of the clock that found nothing due; 0: none */
	__u64 idle_ns;	 /* time spent waiting for the next burst to be due */
	__u64 phase;	 /* of the burst before */
	__u64 running;	 /* its generator has begun */
	__u64 sent[TRAFFIC_PHASES];
	__u64 sequence;		/* number of the next packet */
	__u64 place;		/* of the next frame in the order that is replayed */
	__u64 stretch_began_ns; /* 0: no stretch of the measured phase has begun */
	__u64 stretch_first;	/* number of its first packet */
	__u64 stretches;	/* that have ended */
} __attribute__((aligned(128)));

/* Counts of the sink on one core; latency of measured packets only. */
struct traffic_sink {
	__u64 received[TRAFFIC_PHASES];
	__u64 foreign;
	__u64 latency_sum_ns;
	__u64 latency_max_ns;
	__u64 latency_count[TRAFFIC_BUCKETS];
} __attribute__((aligned(128)));

#endif
