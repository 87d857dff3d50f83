// SPDX-License-Identifier: Apache-2.0
/*
 * The wire on AF_XDP, copy mode: one socket receives from the device, another one, on
 * the same memory, sends by out_device. What AF_XDP sends passes no tc egress; the other
 * end of out_device brings it to the stages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <xdp/xsk.h>

#include "function.h"

#define FRAME_BYTES  2048
#define FRAMES	     2048
#define RING_PACKETS 1024

struct wire {
	struct xsk_umem *umem;
	struct xsk_socket *in, *out;
	struct xsk_ring_prod fill, unused_fill, tx;
	struct xsk_ring_cons rx, completion, unused_completion;
	void *memory;
	uint64_t lost;
};

static int open_memory(struct wire *wire)
{
	const struct xsk_umem_config config = {
		.fill_size = FRAMES,
		.comp_size = RING_PACKETS,
		.frame_size = FRAME_BYTES,
	};

	wire->memory = mmap(NULL, (size_t)FRAMES * FRAME_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (wire->memory == MAP_FAILED)
		return -errno;
	return xsk_umem__create(&wire->umem, wire->memory, (size_t)FRAMES * FRAME_BYTES,
				&wire->fill, &wire->unused_completion, &config);
}

static int give_frames(struct wire *wire)
{
	__u32 position, i;

	if (xsk_ring_prod__reserve(&wire->fill, FRAMES, &position) != FRAMES)
		return -ENOSPC;
	for (i = 0; i < FRAMES; i++)
		*xsk_ring_prod__fill_addr(&wire->fill, position + i) = (__u64)i * FRAME_BYTES;
	xsk_ring_prod__submit(&wire->fill, FRAMES);
	return 0;
}

static int open_sockets(struct wire *wire, const struct chain_options *options)
{
	const struct xsk_socket_config config = {
		.rx_size = RING_PACKETS,
		.tx_size = RING_PACKETS,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY | XDP_USE_NEED_WAKEUP,
	};
	struct xsk_socket_config shared = config;
	int error;

	error = xsk_socket__create(&wire->in, options->device, 0, wire->umem, &wire->rx, NULL,
				   &config);
	if (error)
		return error;
	/* One that shares memory takes its flags from the first. */
	shared.bind_flags = 0;
	return xsk_socket__create_shared(&wire->out, options->out_device, 0, wire->umem, NULL,
					 &wire->tx, &wire->unused_fill, &wire->completion, &shared);
}

/* The stages' program finds our socket by the queue. */
static int enter_map(const struct wire *wire, const char *pins)
{
	char path[256];
	int map_fd, error;

	if (snprintf(path, sizeof(path), "%s/xsks", pins) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	map_fd = bpf_obj_get(path);
	if (map_fd < 0)
		return map_fd;
	error = xsk_socket__update_xskmap(wire->in, map_fd);
	close(map_fd);
	return error;
}

int chain_open(struct chain_function *function)
{
	const struct chain_options *options = &function->options;
	struct wire *wire = calloc(1, sizeof(*wire));
	int error;

	function->wire = wire;
	if (!wire)
		return -ENOMEM;
	if (!options->out_device || !options->pins)
		return -EINVAL;
	error = open_memory(wire);
	if (!error)
		error = open_sockets(wire, options);
	if (!error)
		error = give_frames(wire);
	return error ? error : enter_map(wire, options->pins);
}

static void give_back(struct wire *wire, __u64 address)
{
	__u32 position;

	/* The ring has room for every frame that there is. */
	if (xsk_ring_prod__reserve(&wire->fill, 1, &position) == 1) {
		*xsk_ring_prod__fill_addr(&wire->fill, position) = xsk_umem__extract_addr(address);
		xsk_ring_prod__submit(&wire->fill, 1);
	}
}

static void reap(struct wire *wire)
{
	__u32 position, i, count;

	count = xsk_ring_cons__peek(&wire->completion, RING_PACKETS, &position);
	for (i = 0; i < count; i++)
		give_back(wire, *xsk_ring_cons__comp_addr(&wire->completion, position + i));
	xsk_ring_cons__release(&wire->completion, count);
}

/* Receive what is there and queue what is to be sent; packets queued. */
static __u32 serve_batch(struct chain_function *function, struct wire *wire)
{
	__u32 room = xsk_prod_nb_free(&wire->tx, function->options.batch_packets);
	__u32 batch_packets = function->options.batch_packets;
	__u32 position, tx_position, i, count, served = 0;

	count = xsk_ring_cons__peek(&wire->rx, room < batch_packets ? room : batch_packets,
				    &position);
	for (i = 0; i < count; i++) {
		const struct xdp_desc *in = xsk_ring_cons__rx_desc(&wire->rx, position + i);

		if (chain_serve(function, xsk_umem__get_data(wire->memory, in->addr), in->len) &&
		    xsk_ring_prod__reserve(&wire->tx, 1, &tx_position) == 1) {
			*xsk_ring_prod__tx_desc(&wire->tx, tx_position) =
				(struct xdp_desc){ .addr = in->addr, .len = in->len };
			served++;
		} else {
			give_back(wire, in->addr);
		}
	}
	xsk_ring_cons__release(&wire->rx, count);
	xsk_ring_prod__submit(&wire->tx, served);
	chain_add(&function->counts.sent, served);
	return count;
}

static int all_sent(struct wire *wire)
{
	return xsk_prod_nb_free(&wire->tx, RING_PACKETS) == RING_PACKETS;
}

/*
 * In copy mode the kernel sends within our call, some 32 packets each. A frame is ours
 * again only when its packet is gone, maybe much later: that is not waited for.
 */
static int flush(struct chain_function *function, struct wire *wire)
{
	while (!all_sent(wire)) {
		if (sendto(xsk_socket__fd(wire->out), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0) {
			if (errno == EBUSY) /* this packet found no room, and is dropped */
				chain_add(&function->counts.unsent, 1);
			else if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
				return -errno;
		}
		reap(wire);
	}
	reap(wire);
	return 0;
}

int chain_run(struct chain_function *function)
{
	struct wire *wire = function->wire;
	struct pollfd in = { .fd = xsk_socket__fd(wire->in), .events = POLLIN };
	int error = 0;

	while (!error) {
		if (serve_batch(function, wire))
			error = flush(function, wire);
		else if (poll(&in, 1, -1) < 0 && errno != EINTR)
			error = -errno;
	}
	return error;
}

int chain_take_lost(struct chain_function *function, uint64_t *packets)
{
	struct wire *wire = function->wire;
	struct xdp_statistics statistics = {};
	socklen_t size = sizeof(statistics);
	uint64_t before = wire->lost;

	if (getsockopt(xsk_socket__fd(wire->in), SOL_XDP, XDP_STATISTICS, &statistics, &size))
		return -errno;
	wire->lost = statistics.rx_dropped + statistics.rx_ring_full;
	*packets = wire->lost - before;
	return 0;
}
