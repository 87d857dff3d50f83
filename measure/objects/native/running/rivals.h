/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other cores that run the program under test on the same frames while it is timed on one: what
 * they write to the maps that all share, this one has to fetch.
 */
#ifndef LINERATE_OBJECT_RIVALS_H
#define LINERATE_OBJECT_RIVALS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "feeding.h"

#define RIVALS_MAX 63

struct rival {
	struct feeding feeding;
	pthread_t thread;
	int core;
	_Atomic uint64_t before_ns; /* that its core gave it until it had begun */
	uint64_t cpu_ns;	    /* and after that */
	int error;
	atomic_int has_ended;
};

struct rivals {
	struct rival all[RIVALS_MAX];
	uint32_t opened;
	uint32_t working;
	int home;	   /* core of the thread that times */
	uint64_t began_ns; /* when all had */
};

/* Each has a feeding of its own; 0, or -errno: -ERANGE where there are not as many cores. */
int rivals_open(struct rivals *rivals, const char *path, const struct bpf_program *tested,
		const struct frames *frames, uint32_t ifindex, uint32_t count);
/* Pin this thread, and let so many run the mix; 0 once all do, or -errno. */
int rivals_begin(struct rivals *rivals, uint32_t count);
/* Stop them; 0 or -errno. *share: the least that one of them had of its core, 0 to 1. */
int rivals_end(struct rivals *rivals, double *share);
void rivals_close(struct rivals *rivals);

#endif
