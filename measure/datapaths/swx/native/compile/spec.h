/* SPDX-License-Identifier: Apache-2.0 */
/* What DPDK's reader of pipelines must not be given, whoever gives it. */
#ifndef LINERATE_SWX_SPEC_H
#define LINERATE_SWX_SPEC_H

#include <stdio.h>

/*
 * 0, or -EINVAL with the reason on stderr, the name in it. Names of a .spec go into C code
 * as they stand: beyond comments there is nothing in it from which a call could be made,
 * and within them nothing that DPDK takes for the next line.
 */
int swx_spec_check(FILE *spec, const char *name);

#endif
