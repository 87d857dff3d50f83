/* SPDX-License-Identifier: Apache-2.0 */
/* A network card that the instances share: each has a queue of it, filled by the card's RSS. */
#ifndef LINERATE_SWX_CARD_H
#define LINERATE_SWX_CARD_H

#include <rte_mempool.h>

#include "../options.h"

/*
 * To be called for each instance, from queue 0 on: the first sets the card up, the last starts
 * it. Its number in *device. 0, or negative errno with the reason on stderr.
 */
int swx_card_open_queue(const struct swx_options *options, int queue, struct rte_mempool *packets,
			uint16_t *device);

#endif
