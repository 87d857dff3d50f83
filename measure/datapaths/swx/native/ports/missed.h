/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_SWX_MISSED_H
#define LINERATE_SWX_MISSED_H

#include "../options.h"

/* Packets that came to a card, or to sockets of a device, and that found no room there. */
uint64_t swx_missed(enum swx_port port, uint16_t device);

#endif
