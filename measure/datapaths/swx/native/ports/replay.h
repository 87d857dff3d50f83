/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a user's, again and again, in the packets that the null device generates.
 */
#ifndef LINERATE_SWX_REPLAY_H
#define LINERATE_SWX_REPLAY_H

#include "lane.h"

/*
 * Each packet becomes the next frame of the order that a file has, as it came: what a program wrote
 * into it, or its size, is not seen by the next. The lane then says what that took, for the lcore
 * would not do it behind a card. 0, or negative errno with the reason on stderr.
 */
int swx_replay_open(struct swx_lane *lane, const struct swx_options *options);

#endif
