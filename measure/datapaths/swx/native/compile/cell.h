/* SPDX-License-Identifier: Apache-2.0 */
/* A place to compile in: nobody's rights, no network, a temporary folder that ends with it. */
#ifndef LINERATE_SWX_CELL_H
#define LINERATE_SWX_CELL_H

#include <sys/types.h>

/* Where the compiler's temporary files are, and its headers. */
struct swx_cell {
	char temporary[64];
	char include[128];
	int is_private; /* a mount of our own, which nobody has to clean */
};

/* As fork; the child has a process tree of its own, which ends with it. */
pid_t swx_cell_fork(void);
/* In the child, for good; 0, or -errno with the reason on stderr. */
int swx_cell_enter(struct swx_cell *cell, const char *include);
void swx_cell_clean(const struct swx_cell *cell);

#endif
