/* SPDX-License-Identifier: Apache-2.0 */
/* A runner that holds until its standard input closes, and prints its counts when asked. */
#ifndef LINERATE_HOLD_H
#define LINERATE_HOLD_H

/*
 * Call print for each line on standard input; it prints one JSON line. 0 when that closes, or
 * -errno.
 */
int hold(int (*print)(void *of), void *of);

#endif
