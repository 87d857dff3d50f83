/* SPDX-License-Identifier: Apache-2.0 */
/* What a packet took in each of many short stretches of a trial: others disturb some of them. */
#ifndef LINERATE_SWX_STRETCHES_H
#define LINERATE_SWX_STRETCHES_H

#include <stddef.h>
#include <stdint.h>

#include <rte_swx_pipeline.h>

#include "ports/lane.h"

#define SWX_STRETCHES 8192 /* the last of a trial */

struct swx_stretches {
	int timed;	       /* whether they are: set by whoever counts */
	uint64_t least_cycles; /* of one */
	uint64_t began_cycles; /* 0: none has begun */
	uint64_t first;	       /* packets that came before it */
	uint64_t seen;	       /* packets when it was found long enough; 0: not yet */
	uint64_t apart_cycles; /* what had been spent beside the pipeline before it */
	size_t count;	       /* that have ended */
	double packet_cycles[SWX_STRETCHES];
};

/* Forget them all, before the worker starts. */
void swx_stretches_begin(struct swx_stretches *stretches, uint64_t cycles_per_second);
/*
 * After each iteration of the pipeline: end a stretch, and begin the next, if it is long enough. Of
 * frames that are replayed it has whole rounds, and what replaying them took is no part of it.
 */
void swx_time_stretch(struct swx_stretches *stretches, struct rte_swx_pipeline *pipeline,
		      const struct swx_replayed *replayed);

#endif
