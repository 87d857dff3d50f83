/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled pipeline: no byte of it is run that is not the one it is said to be. */
#ifndef LINERATE_SWX_LIBRARY_H
#define LINERATE_SWX_LIBRARY_H

#include "common/sealed.h"
#include "options.h"

/* The path of a copy that nobody can change; 0, or negative errno with the reason on stderr. */
int swx_library_open(const struct swx_options *options, char path[SEALED_PATH_BYTES]);

#endif
