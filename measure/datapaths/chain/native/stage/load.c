// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "common/runner.h"

/* Maps of the same name are the same map in all stages of a namespace. */
static const char *const shared[] = { "paths", "flows", "kept", "xsks" };

/* Pinned once, it is the same map for every stage that is loaded after. */
static int share_map(const struct nsh_stages *stages, struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	char path[256];

	if (!map)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", stages->pins, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (!strcmp(name, "kept") && bpf_map__set_max_entries(map, stages->flows))
		return -EINVAL;
	return bpf_map__set_pin_path(map, path);
}

static int prepare(const struct nsh_stages *stages, struct bpf_object *object)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");
	unsigned int i;
	int error = 0;

	if (rodata)
		error = bpf_map__set_initial_value(rodata, &stages->settings,
						   sizeof(stages->settings));
	for (i = 0; !error && i < sizeof(shared) / sizeof(shared[0]); i++)
		error = share_map(stages, object, shared[i]);
	return error;
}

static int load_one(struct nsh_stages *stages, struct nsh_stage *stage)
{
	char path[256];
	int error;

	if (snprintf(path, sizeof(path), "%s/nsh_%s.bpf.o", stages->objects,
		     nsh_stage_names[stage->kind]) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	stage->object = bpf_object__open(path);
	if (!stage->object)
		return -errno;
	error = prepare(stages, stage->object);
	if (!error)
		error = bpf_object__load(stage->object);
	if (error)
		return error;
	stage->program_fd = bpf_program__fd(bpf_object__next_program(stage->object, NULL));
	stage->counts_fd = bpf_object__find_map_fd_by_name(stage->object, "counts");
	return stage->program_fd < 0 ? stage->program_fd : 0;
}

int nsh_load(struct nsh_stages *stages)
{
	int i, error = 0;

	for (i = 0; i < stages->count; i++)
		stages->all[i].link_fd = -1;
	for (i = 0; !error && i < stages->count; i++) {
		error = load_one(stages, &stages->all[i]);
		if (error)
			runner_complain(nsh_stage_names[stages->all[i].kind], error);
	}
	return error;
}
