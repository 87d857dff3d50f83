/* SPDX-License-Identifier: Apache-2.0 */
/* A file's bytes in memory that nobody changes any more: what is loaded is what was read. */
#ifndef LINERATE_SEALED_H
#define LINERATE_SEALED_H

#define SEALED_BYTES_MAX  (64 << 20)
#define SEALED_PATH_BYTES 32

/* A descriptor of the copy, which /proc calls by this name, or -errno. */
int sealed_copy(const char *path, const char *name);
/* The path by which this process opens the copy. */
void sealed_path(int fd, char path[SEALED_PATH_BYTES]);

#endif
