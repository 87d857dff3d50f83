/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LINERATE_MAP_LOOKUP_H
#define LINERATE_MAP_LOOKUP_H

/* Receive queues that the program can tell apart; a higher one finds nothing. */
#define MAP_LOOKUP_QUEUES_MAX 64
/* Lookups that one call of the loop's body makes. */
#define MAP_LOOKUP_STRIDE 64

#endif
