/* SPDX-License-Identifier: Apache-2.0 */
/* How a process gives up what root may do, for good. */
#ifndef LINERATE_PRIVILEGES_H
#define LINERATE_PRIVILEGES_H

/* Drop every capability of all our threads, and any way to get one back; 0 or -errno. */
int privileges_drop(void);
/* The same of a process that has one thread. */
int privileges_drop_of_thread(void);

#endif
