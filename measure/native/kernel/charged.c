// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <bpf/libbpf.h>

#include "charged.h"

int charged_add(int fd, uint64_t *bytes)
{
	char path[64], line[256];
	uint64_t charged;
	int error = -ENODATA;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (error && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "memlock: %" SCNu64, &charged) == 1) {
			*bytes += charged;
			error = 0;
		}
	}
	fclose(file);
	return error;
}

int charged_add_maps(struct bpf_object *object, uint64_t *bytes)
{
	struct bpf_map *map = NULL;
	int error = 0;

	while (!error && (map = bpf_object__next_map(object, map)))
		error = charged_add(bpf_map__fd(map), bytes);
	return error;
}
