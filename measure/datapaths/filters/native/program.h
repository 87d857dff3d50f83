/* SPDX-License-Identifier: Apache-2.0 */
/* One load of a filter: what it is set to, what it takes and holds, what it counted. */
#ifndef LINERATE_FILTER_PROGRAM_H
#define LINERATE_FILTER_PROGRAM_H

#include <stdint.h>

#include <bpf/libbpf.h>

#include "bpf/filters/filter_settings.h"

/* Set the object's rodata before it is loaded; 0 or -errno. */
int filter_set(struct bpf_object *object, const struct filter_settings *settings);
/*
 * Time of one pass over a frame that it drops, outside any driver, ns. Of
 * the frame skipped_bytes are left out: netfilter sees no Ethernet header.
 */
int filter_take_ns(const struct filter_settings *settings, int program_fd,
		   unsigned int skipped_bytes, double *program_ns);
/* Memory that the kernel charges for the program and its maps. */
int filter_memory_bytes(struct bpf_object *object, uint64_t *bytes);
/* The number by which the kernel knows it while it is loaded. */
int filter_program_id(int program_fd, uint32_t *id);
/* Packets dropped since it was loaded, on all cores. */
int filter_dropped(struct bpf_object *object, uint64_t *dropped);

#endif
