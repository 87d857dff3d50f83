/* SPDX-License-Identifier: Apache-2.0 */
/* A network card that the instances share: each has a queue of it, filled by the card's RSS. */
#ifndef LINERATE_SWX_CARD_H
#define LINERATE_SWX_CARD_H

#include "lane.h"

/*
 * To be called for each instance in turn: the first sets the card up, the last starts it.
 * 0, or negative errno with the reason on stderr.
 */
int swx_card_open_queue(struct swx_lane *lane, const struct swx_options *options, int number);

#endif
