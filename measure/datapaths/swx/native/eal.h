/* SPDX-License-Identifier: Apache-2.0 */
/* DPDK's environment, brought up so that nothing of it outlives the process. */
#ifndef LINERATE_SWX_EAL_H
#define LINERATE_SWX_EAL_H

#include "options.h"

/* Worker k becomes lcore k + 1; 0, or negative errno with the reason on stderr. */
int swx_eal_start(const struct swx_options *options);

#endif
