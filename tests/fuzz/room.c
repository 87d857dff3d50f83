// SPDX-License-Identifier: Apache-2.0
/*
 * DPDK reads the arguments of a default action, which it keeps in memory of malloc, as 8 bytes
 * each: up to 7 bytes behind the last are read and masked out. Here they may be. What it writes is
 * in memory of calloc, which stays as it is.
 */
#include <stddef.h>

void *__interceptor_malloc(size_t bytes);
void *malloc(size_t bytes);

void *malloc(size_t bytes)
{
	return __interceptor_malloc(bytes + 7);
}
