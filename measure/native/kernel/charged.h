/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the kernel charges for BPF programs and maps. */
#ifndef LINERATE_CHARGED_H
#define LINERATE_CHARGED_H

#include <stdint.h>

struct bpf_object;

/* Add what a program's or map's descriptor is charged; 0 or -errno. */
int charged_add(int fd, uint64_t *bytes);
/* Add that of all maps of the object; 0 or -errno. */
int charged_add_maps(struct bpf_object *object, uint64_t *bytes);

#endif
