/* SPDX-License-Identifier: Apache-2.0 */
/* A user's function, loaded from a shared object. */
#ifndef LINERATE_FUNCTION_LOADING_H
#define LINERATE_FUNCTION_LOADING_H

#include <stdint.h>

typedef uint32_t (*function_call)(uint8_t *frame, uint32_t length, void *state);

/*
 * Copy the file into sealed memory: what is loaded is what was read, and it can be loaded by who
 * may not read its folder. A descriptor, or -errno with the reason on stderr.
 */
int function_open(const char *path);
/* Load that copy and find its entry; its constructors run. NULL with the reason on stderr. */
function_call function_load(int fd, const char *path, const char *entry);
/* Zeroed memory of LINERATE_STATE_BYTES, or NULL. */
void *function_state(void);

#endif
