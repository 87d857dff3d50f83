/* SPDX-License-Identifier: Apache-2.0 */
/* One AF_XDP socket with memory and rings of its own. */
#ifndef LINERATE_XSK_PORT_H
#define LINERATE_XSK_PORT_H

#include <stdint.h>

#include <xdp/xsk.h>

#include "options.h"

/*
 * Frames of one socket, and entries of each of its rings: a frame is always in one
 * ring or in our hands, so no ring can be too small for what is put into it.
 */
#define XSK_PORT_FRAMES 2048

struct xsk_port {
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons completion, rx;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	void *frames;
};

/* Make and bind a socket to a queue of the device; 0 or -errno. */
int xsk_port_open(struct xsk_port *port, const struct xsk_options *options, unsigned int queue);
void xsk_port_close(struct xsk_port *port);
/* Give frames that were sent back to the kernel, to be received into; how many. */
unsigned int xsk_port_recycle(struct xsk_port *port);
/* Give these back to the kernel, to be received into: they are not sent. */
void xsk_port_take_back(struct xsk_port *port, const uint64_t *frames, uint32_t count);
/* Put these up to be sent. */
void xsk_port_put(struct xsk_port *port, const struct xdp_desc *frames, uint32_t count);
/* Let the kernel send what is in the ring; frames that it left there, or -errno. */
int xsk_port_send(struct xsk_port *port, int always);
/* Whether the socket knows which NAPI to poll: it may be known with the first frame only. */
int xsk_port_knows_napi(const struct xsk_port *port);

#endif
