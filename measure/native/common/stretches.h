/* SPDX-License-Identifier: Apache-2.0 */
/* What a packet took in each of many short stretches of a trial: others disturb some of them. */
#ifndef LINERATE_STRETCHES_H
#define LINERATE_STRETCHES_H

#include <stddef.h>

/*
 * Sort times of a packet, and print forty quantiles of them, the middle of each fortieth, as a JSON
 * list; an empty one where there are fewer.
 */
void stretches_print(double *packet_ns, size_t count);

#endif
