// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "schedstat.h"

#define SCHEDSTAT_BYTES 96

void swx_read_schedstat(int fd, uint64_t *run_ns, uint64_t *wait_ns)
{
	char text[SCHEDSTAT_BYTES] = {};

	*run_ns = *wait_ns = 0;
	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		sscanf(text, "%" SCNu64 " %" SCNu64, run_ns, wait_ns);
}
