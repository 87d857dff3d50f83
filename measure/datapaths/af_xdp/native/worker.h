/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that forwards the frames of one socket. */
#ifndef LINERATE_XSK_WORKER_H
#define LINERATE_XSK_WORKER_H

#include <pthread.h>
#include <sys/types.h>

#include "port.h"

struct xsk_worker {
	pthread_t thread;
	const struct xsk_options *options;
	struct xsk_port port;
	unsigned int queue;
	int core;
	int wake_fd; /* -1: none */
	volatile pid_t thread_id;
	volatile int stop;
	volatile int error; /* of the thread, once it has ended */
	/* Written by the thread, read by others at any time. */
	volatile uint64_t received; /* taken from the socket */
	volatile uint64_t sent;	    /* given back by the kernel as sent */
};

/* Run the worker on its core; 0 or -errno. Its port is open. */
int xsk_worker_start(struct xsk_worker *worker);
/* End the thread; the error that it met, or 0. */
int xsk_worker_stop(struct xsk_worker *worker);

#endif
