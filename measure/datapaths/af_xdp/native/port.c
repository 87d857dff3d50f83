// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "port.h"

/* Room for the largest live frame behind the kernel's headroom. */
#define FRAME_BYTES 4096
/* Longest time that one poll of the device may take; the kernel's example uses it. */
#define BUSY_POLL_US 20

#ifndef SO_PREFER_BUSY_POLL
#define SO_PREFER_BUSY_POLL 69
#endif
#ifndef SO_BUSY_POLL_BUDGET
#define SO_BUSY_POLL_BUDGET 70
#endif

static int set_option(int socket, int name, int value)
{
	return setsockopt(socket, SOL_SOCKET, name, &value, sizeof(value)) ? -errno : 0;
}

static int set_busy_poll(int socket, int batch_packets)
{
	int error = set_option(socket, SO_PREFER_BUSY_POLL, 1);

	if (!error)
		error = set_option(socket, SO_BUSY_POLL, BUSY_POLL_US);
	return error ? error : set_option(socket, SO_BUSY_POLL_BUDGET, batch_packets);
}

static int make_memory(struct xsk_port *port)
{
	const struct xsk_umem_config config = {
		.fill_size = XSK_PORT_FRAMES,
		.comp_size = XSK_PORT_FRAMES,
		.frame_size = FRAME_BYTES,
	};
	size_t bytes = (size_t)XSK_PORT_FRAMES * FRAME_BYTES;

	port->frames = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (port->frames == MAP_FAILED) {
		port->frames = NULL;
		return -errno;
	}
	return xsk_umem__create(&port->umem, port->frames, bytes, &port->fill, &port->completion,
				&config);
}

static int offer_all_frames(struct xsk_port *port)
{
	uint32_t first = 0, i;

	if (xsk_ring_prod__reserve(&port->fill, XSK_PORT_FRAMES, &first) != XSK_PORT_FRAMES)
		return -ENOSPC;
	for (i = 0; i < XSK_PORT_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&port->fill, first + i) = (uint64_t)i * FRAME_BYTES;
	xsk_ring_prod__submit(&port->fill, XSK_PORT_FRAMES);
	return 0;
}

int xsk_port_open(struct xsk_port *port, const struct xsk_options *options, unsigned int queue)
{
	const struct xsk_socket_config config = {
		.rx_size = XSK_PORT_FRAMES,
		.tx_size = XSK_PORT_FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.xdp_flags = xsk_attach_flags(options),
		.bind_flags = (options->zero_copy ? XDP_ZEROCOPY : XDP_COPY) |
			      (options->need_wakeup ? XDP_USE_NEED_WAKEUP : 0),
	};
	int error = make_memory(port);

	if (!error)
		error = offer_all_frames(port);
	if (error)
		return error;
	error = xsk_socket__create(&port->socket, options->device, queue, port->umem, &port->rx,
				   &port->tx, &config);
	if (error || !options->busy_poll)
		return error;
	return set_busy_poll(xsk_socket__fd(port->socket), options->batch_packets);
}

void xsk_port_close(struct xsk_port *port)
{
	xsk_socket__delete(port->socket);
	if (port->umem)
		xsk_umem__delete(port->umem);
	if (port->frames)
		munmap(port->frames, (size_t)XSK_PORT_FRAMES * FRAME_BYTES);
}

unsigned int xsk_port_recycle(struct xsk_port *port)
{
	uint32_t from = 0, to = 0, i;
	uint32_t count = xsk_ring_cons__peek(&port->completion, XSK_PORT_FRAMES, &from);

	if (!count)
		return 0;
	/* The ring has room for every frame that there is. */
	xsk_ring_prod__reserve(&port->fill, count, &to);
	for (i = 0; i < count; i++)
		*xsk_ring_prod__fill_addr(&port->fill, to + i) =
			*xsk_ring_cons__comp_addr(&port->completion, from + i);
	xsk_ring_prod__submit(&port->fill, count);
	xsk_ring_cons__release(&port->completion, count);
	return count;
}

void xsk_port_take_back(struct xsk_port *port, const uint64_t *frames, uint32_t count)
{
	uint32_t to = 0, i;

	/* The ring has room for every frame that there is. */
	xsk_ring_prod__reserve(&port->fill, count, &to);
	for (i = 0; i < count; i++)
		*xsk_ring_prod__fill_addr(&port->fill, to + i) = frames[i];
	xsk_ring_prod__submit(&port->fill, count);
}

void xsk_port_put(struct xsk_port *port, const struct xdp_desc *frames, uint32_t count)
{
	uint32_t to = 0, i;

	xsk_ring_prod__reserve(&port->tx, count, &to);
	for (i = 0; i < count; i++)
		*xsk_ring_prod__tx_desc(&port->tx, to + i) = frames[i];
	xsk_ring_prod__submit(&port->tx, count);
}

int xsk_port_send(struct xsk_port *port, int always)
{
	uint32_t left = XSK_PORT_FRAMES - xsk_prod_nb_free(&port->tx, XSK_PORT_FRAMES), before;

	if (!left || !(always || xsk_ring_prod__needs_wakeup(&port->tx)))
		return left;
	/* One call sends no more than the kernel's own batch. */
	do {
		before = left;
		if (sendto(xsk_socket__fd(port->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 &&
		    errno != EAGAIN && errno != EBUSY && errno != ENOBUFS)
			return -errno;
		left = XSK_PORT_FRAMES - xsk_prod_nb_free(&port->tx, XSK_PORT_FRAMES);
	} while (left && left < before);
	return left;
}

int xsk_port_knows_napi(const struct xsk_port *port)
{
	unsigned int napi = 0;
	socklen_t bytes = sizeof(napi);

	return !getsockopt(xsk_socket__fd(port->socket), SOL_SOCKET, SO_INCOMING_NAPI_ID, &napi,
			   &bytes) &&
	       napi;
}
