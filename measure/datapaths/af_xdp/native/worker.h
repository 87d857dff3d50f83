/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that forwards the frames of one socket. */
#ifndef LINERATE_XSK_WORKER_H
#define LINERATE_XSK_WORKER_H

#include <pthread.h>
#include <sys/types.h>

#include "measure/functions/native/loading.h"
#include "port.h"

struct xsk_worker {
	pthread_t thread;
	const struct xsk_options *options;
	struct xsk_port port;
	unsigned int queue;
	int core;
	int wake_fd;		/* -1: none */
	function_call function; /* NULL: addresses are exchanged */
	void *state;		/* of the function, for this thread alone */
	volatile pid_t thread_id;
	volatile int stop;
	volatile int error; /* of the thread, once it has ended */
	/* Written by the thread, read by others at any time. */
	volatile uint64_t received; /* taken from the socket */
	volatile uint64_t sent;	    /* given back by the kernel as sent */
	/* Of the function: frames that it did not send, of which with another verdict than drop. */
	volatile uint64_t ended, aborted;
	volatile uint64_t begun, done; /* batches given to it, and taken from it */
	uint64_t reported;	       /* of those ended, said to the generator */
};

/* Run the worker on its core; 0 or -errno. Its port is open. */
int xsk_worker_start(struct xsk_worker *worker);
/* End the thread; the error that it met, or 0. */
int xsk_worker_stop(struct xsk_worker *worker);

#endif
