/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_SWX_OPTIONS_H
#define LINERATE_SWX_OPTIONS_H

#include "common/options.h"

#define SWX_WORKERS_MAX OPTION_LIST_MAX
#define SWX_TABLES_MAX	32
#define SWX_BURST_MAX	64
#define SWX_PORT_MAX	63
#define SWX_FLOWS_MAX	60000
#define SWX_FRAME_MIN	64
#define SWX_FRAME_MAX	1518

enum swx_port {
	SWX_NULL,      /* frames generated and freed on the lcore: pure service time */
	SWX_RING,      /* two rings to the generator */
	SWX_MEMIF,     /* a shared-memory device to the generator */
	SWX_AF_XDP,    /* a device of the kernel */
	SWX_PCI,       /* a network card that the kernel has given away */
	SWX_AF_PACKET, /* a device of the kernel, by packet sockets; of generators alone */
};

struct swx_options {
	const char *library;
	const char *library_sha256; /* of the file that the library must be */
	enum swx_port port;
	const char *device; /* of AF_XDP its name, of PCI its address: one queue for each worker */
	uint64_t main_core;
	struct option_list worker_cores;
	const char *tables[SWX_TABLES_MAX]; /* NAME=FILE */
	int tables_count;
	uint64_t last_port; /* of the pipeline: 0 sends back, on the others packets end */
	uint64_t burst_packets;
	uint64_t ring_packets;
	uint64_t quantum_instructions;
	uint64_t memory_channels; /* 0: DPDK decides */
	uint64_t memory_mib;
	uint64_t null_frame_bytes; /* of generated frames, FCS included */
	uint64_t flows;
	const char *frames;    /* of a user's, in a file; NULL: generated ones */
	uint64_t header_bytes; /* of each frame, what a pipeline can look at */
	int hugepages;
	int oversubscribe;
};

extern const struct option_table swx_table;

/* Its packets come when they come, not from the runner's generator. */
static inline int swx_is_fed_from_outside(enum swx_port port)
{
	return port == SWX_AF_XDP || port == SWX_PCI || port == SWX_AF_PACKET;
}

static inline int swx_workers(const struct swx_options *options)
{
	return options->worker_cores.count;
}

/* Whether the device is named as its port wants it. */
enum option_outcome swx_check_device(const struct swx_options *options);
enum option_outcome swx_parse_options(int argc, char **argv, struct swx_options *options);

#endif
