/* SPDX-License-Identifier: Apache-2.0 */
/* A runner that holds until its standard input closes, and counts aloud when asked. */
#ifndef LINERATE_CHAIN_HOLD_H
#define LINERATE_CHAIN_HOLD_H

/* Call print for each line on standard input; it prints one JSON line. Returns when that closes. */
void chain_hold(void (*print)(void *of), void *of);

#endif
