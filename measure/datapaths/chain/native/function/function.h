/* SPDX-License-Identifier: Apache-2.0 */
/* What the user-space functions of a chain do alike: a wire, between a device and itself. */
#ifndef LINERATE_CHAIN_FUNCTION_H
#define LINERATE_CHAIN_FUNCTION_H

#include <stdatomic.h>
#include <stdint.h>

#define CHAIN_BATCH_MAX	   64
#define CHAIN_PACKET_BYTES 1792

struct chain_options {
	const char *device;	/* that packets come in by */
	const char *out_device; /* that they leave by */
	const char *pins;	/* folder of the stages' maps */
	uint64_t core;
	int nsh_aware;
	uint64_t batch_packets;
	uint64_t work_ns; /* taken with each packet */
};

/* Written by the wire's thread, read by the one that prints. */
struct chain_counts {
	_Atomic uint64_t received;
	_Atomic uint64_t sent;
	_Atomic uint64_t skipped; /* none of its business */
	_Atomic uint64_t si_out;  /* service index used up: dropped */
	_Atomic uint64_t unsent;  /* the kernel did not take them */
};

struct chain_function {
	struct chain_options options;
	struct chain_counts counts;
	int thread_id;
	uint64_t lost; /* dropped by the kernel in front of the socket, so far */
	void *wire;    /* of the kind of socket */
};

/*
 * What the function does with a packet: 1 to send it, 0 not to. A wire changes nothing;
 * one that is aware of NSH decrements the service index.
 */
int chain_serve(struct chain_function *function, void *packet, uint32_t bytes);
/* Add to a count. */
static inline void chain_add(_Atomic uint64_t *count, uint64_t packets)
{
	/* Only one thread writes. */
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + packets,
			      memory_order_relaxed);
}

/* Open the wire; 0 or -errno. */
int chain_open(struct chain_function *function);
/* Carry packets until an error. */
int chain_run(struct chain_function *function);
/* Packets that the kernel dropped in front of the socket since the last call; 0 or -errno. */
int chain_take_lost(struct chain_function *function, uint64_t *packets);

#endif
