/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_KERNEL_CODE_H
#define LINERATE_KERNEL_CODE_H

#include "bpf/objects/ends.h"

/* Find where functions of the kernel lie; none of those that it does not show. 0 or -errno. */
int kernel_code_find(const char *function, struct ends_code *code);

#endif
