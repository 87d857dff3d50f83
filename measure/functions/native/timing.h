/* SPDX-License-Identifier: Apache-2.0 */
/* Times a function on frames that are put back each time, beside one that does nothing. */
#ifndef LINERATE_FUNCTION_TIMING_H
#define LINERATE_FUNCTION_TIMING_H

#include <stdio.h>

#include "loading.h"
#include "options.h"
#include "common/frames.h"

/*
 * Time the function on the whole mix and on each of the first frames by itself, in turn with one
 * that does nothing and with work that never changes; then give it every frame once for its
 * verdict. JSON lines; 0 or -errno.
 */
int timing_run(function_call call, void *state, const struct frames *frames,
	       const struct function_options *options, FILE *answer);

#endif
