/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_SWX_OPTIONS_H
#define LINERATE_SWX_OPTIONS_H

#define SWX_WORKERS_MAX 64
#define SWX_TABLES_MAX	32
#define SWX_BURST_MAX	64

enum swx_port {
	SWX_NULL,   /* packets from nowhere to nowhere: pure service time */
	SWX_RING,   /* two rings to the generator */
	SWX_MEMIF,  /* a shared-memory device to the generator */
	SWX_AF_XDP, /* a device of the kernel */
	SWX_PCI,    /* a network card that the kernel has given away */
};

struct swx_options {
	const char *library;
	enum swx_port port;
	const char *device; /* of AF_XDP its name, of PCI its address: one queue for each worker */
	long main_core;
	long worker_cores[SWX_WORKERS_MAX];
	int workers;
	const char *tables[SWX_TABLES_MAX]; /* NAME=FILE */
	int tables_count;
	double burst_packets;
	double ring_packets;
	double quantum_instructions;
	double memory_channels;
	double memory_mib;
	double null_frame_bytes; /* of packets from nowhere, FCS included */
	double flows;
	int hugepages;
	int oversubscribe;
};

extern const char swx_usage[];

/* Its packets come when they come, not from the runner's generator. */
static inline int swx_is_fed_from_outside(enum swx_port port)
{
	return port == SWX_AF_XDP || port == SWX_PCI;
}

/* 0, or -EINVAL with the reason on stderr. */
int swx_parse_options(int argc, char **argv, struct swx_options *options);

#endif
