/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a pipeline: what it does to one packet, what its registers and tables hold. */
#ifndef LINERATE_SWX_QUERY_H
#define LINERATE_SWX_QUERY_H

#include "trial/trial.h"

/* Each prints one JSON line, whole only with 0; or negative errno with the reason on stderr. */
int swx_print_passage(struct swx_bench *bench, const char *hex);
int swx_print_registers(const struct swx_bench *bench, char *words);
int swx_print_table(const struct swx_bench *bench, const char *name);
int swx_print_counts(const struct swx_bench *bench);

#endif
