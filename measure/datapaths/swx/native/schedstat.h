/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_SWX_SCHEDSTAT_H
#define LINERATE_SWX_SCHEDSTAT_H

#include <stdint.h>

/* Run and wait time of a thread, by the descriptor of its schedstat. */
void swx_read_schedstat(int fd, uint64_t *run_ns, uint64_t *wait_ns);

#endif
