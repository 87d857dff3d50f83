/* SPDX-License-Identifier: Apache-2.0 */
/* A function on frames that have nothing before and behind them. */
#ifndef LINERATE_FUNCTION_GUARDED_H
#define LINERATE_FUNCTION_GUARDED_H

#include "common/frames.h"
#include "loading.h"

/* Give each frame once to the function, at either end of a page; 0 or -errno, said on stderr. */
int guarded_run(function_call call, void *state, const struct frames *frames);

#endif
