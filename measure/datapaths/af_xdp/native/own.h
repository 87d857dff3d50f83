/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the user's own in the threads that serve sockets. */
#ifndef LINERATE_XSK_OWN_H
#define LINERATE_XSK_OWN_H

#include "worker.h"

/*
 * Load it for workers that do not run yet. Foreign code from then on: it finds a process that has
 * given up its rights. 0 or -errno with the reason on stderr.
 */
int own_load(const struct xsk_options *options, struct xsk_worker *workers, size_t count);
/* End this process with words where the function has held the worker for long; 0. */
int own_check_return(const struct xsk_worker *worker);

#endif
