/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of packets that come from outside, from one report to the next. */
#ifndef LINERATE_SWX_WATCH_H
#define LINERATE_SWX_WATCH_H

#include "trial.h"

/* Begin to count. */
void swx_watch_begin(const struct swx_bench *bench);
/* Print a report of the time since the last one; 0 or -EINVAL with the reason on stderr. */
int swx_watch_print(const struct swx_bench *bench);

#endif
