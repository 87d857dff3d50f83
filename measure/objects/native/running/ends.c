// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attachment.h"
#include "ends.h"
#include "kernel_code.h"

static const char *const names[ENDS] = {
	[END_ABORTED] = "aborted",	 [END_DROP] = "drop",
	[END_PASS] = "passed",		 [END_TX] = "tx",
	[END_REDIRECT] = "redirect",	 [END_UNSENT] = "unsent",
	[END_UNDIRECTED] = "undirected", [END_UNTAKEN] = "untaken",
	[END_TO_CPU] = "to_cpu",
};

/* What counts now and then, since it takes time. */
static const char *const counters[][ENDS_COUNTERS_MAX + 1] = {
	[OBJECT_NATIVE] = { NULL },
	[OBJECT_GENERIC] = { "count_passed", "count_redirected", NULL },
	[OBJECT_TC] = { "count_freed", "count_consumed", NULL },
};

static const char *const of_xdp[] = { "count_exception", "count_undirected", NULL };
static const char *const of_cpumap[] = { "count_untaken", NULL };
static const char *const none[] = { NULL };

static int find_cpumaps(struct bpf_object *tested, struct ends_settings *settings)
{
	struct bpf_map_info info;
	struct bpf_map *map = NULL;
	uint32_t bytes = sizeof(info);
	int maps = 0;

	while ((map = bpf_object__next_map(tested, map))) {
		if (bpf_map__type(map) != BPF_MAP_TYPE_CPUMAP)
			continue;
		memset(&info, 0, sizeof(info));
		if (maps == ENDS_CPUMAPS_MAX)
			return -E2BIG;
		if (bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &bytes))
			return -errno;
		settings->cpumaps[maps++] = info.id;
	}
	return 0;
}

/* Where packets of a tc program end. It takes a while: the kernel has many symbols. */
static int find_code(struct ends_settings *settings)
{
	int error = kernel_code_find("__netif_receive_skb_core", &settings->receive);

	return error ? error : kernel_code_find("skb_do_redirect", &settings->redirect);
}

static int set_up(const struct ends *ends, struct bpf_object *tested,
		  const struct bpf_program *entry)
{
	struct ends_settings settings = { .ifindex = if_nametoindex(ends->device.name) };
	struct bpf_prog_info info = {};
	uint32_t bytes = sizeof(info);
	struct stat netns;
	int error;

	if (bpf_obj_get_info_by_fd(bpf_program__fd(entry), &info, &bytes) ||
	    stat("/proc/self/ns/net", &netns))
		return -errno;
	settings.program_id = info.id;
	settings.netns = netns.st_ino;
	error = ends->hook == OBJECT_TC ? find_code(&settings) : find_cpumaps(tested, &settings);
	if (error)
		return error;
	return bpf_map__set_initial_value(bpf_object__find_map_by_name(ends->object, ".rodata"),
					  &settings, sizeof(settings));
}

static int is_redirect(const struct bpf_insn *instruction)
{
	return instruction->code == (BPF_JMP | BPF_CALL) && !instruction->src_reg &&
	       (instruction->imm == BPF_FUNC_redirect || instruction->imm == BPF_FUNC_redirect_map);
}

/* Whether any loaded program may redirect: only then are all redirects of the machine looked at. */
static int redirects(struct bpf_object *tested)
{
	struct bpf_program *program = NULL;
	size_t i;

	while ((program = bpf_object__next_program(tested, program)))
		for (i = 0; bpf_program__autoload(program) && i < bpf_program__insn_cnt(program);
		     i++)
			if (is_redirect(bpf_program__insns(program) + i))
				return 1;
	return 0;
}

static struct bpf_program *named(const struct ends *ends, const char *name)
{
	return bpf_object__find_program_by_name(ends->object, name);
}

static void choose(struct ends *ends, const char *const chosen[])
{
	for (; *chosen; chosen++)
		bpf_program__set_autoload(named(ends, *chosen), true);
}

static int trace(struct ends *ends, const char *const chosen[])
{
	for (; *chosen; chosen++) {
		struct bpf_link **link = &ends->links[ends->links_count];

		*link = bpf_program__attach(named(ends, *chosen));
		if (!*link)
			return -errno;
		ends->links_count++;
	}
	return 0;
}

/* A link goes with us, and any other program there stays (kernel 6.6). */
static int link_counter(const struct ends *ends, const struct bpf_program *counter)
{
	int ifindex = if_nametoindex(ends->device.name), fd = bpf_program__fd(counter);

	if (bpf_program__type(counter) == BPF_PROG_TYPE_TRACING) {
		fd = bpf_raw_tracepoint_open(NULL, fd);
		return fd < 0 ? -errno : fd;
	}
	fd = bpf_link_create(fd, ifindex, ATTACH_TCX_INGRESS, NULL);
	return fd == -EINVAL ? -EOPNOTSUPP : fd;
}

int ends_count_passed(struct ends *ends, int counted)
{
	const char *const *name = counters[ends->hook];
	int fd;

	if (!counted)
		while (ends->counting)
			close(ends->counter_fds[--ends->counting]);
	if (!counted || ends->counting)
		return 0;
	for (; *name; name++) {
		if (!bpf_program__autoload(named(ends, *name)))
			continue;
		fd = link_counter(ends, named(ends, *name));
		if (fd < 0)
			return fd;
		ends->counter_fds[ends->counting++] = fd;
	}
	return 0;
}

static int load(struct ends *ends, struct bpf_object *tested, const struct bpf_program *entry)
{
	int error = set_up(ends, tested, entry), is_xdp = ends->hook != OBJECT_TC;
	int by_driver = ends->hook == OBJECT_NATIVE && redirects(tested);

	if (error)
		return error;
	choose(ends, counters[ends->hook]);
	bpf_program__set_autoload(named(ends, "count_redirected"),
				  ends->hook == OBJECT_GENERIC && redirects(tested));
	choose(ends, is_xdp ? of_xdp : none);
	choose(ends, by_driver ? of_cpumap : none);
	error = bpf_object__load(ends->object);
	if (!error)
		error = trace(ends, is_xdp ? of_xdp : none);
	return error ? error : trace(ends, by_driver ? of_cpumap : none);
}

int ends_open(struct ends *ends, const struct object_options *options, struct bpf_object *tested,
	      const struct bpf_program *entry)
{
	int error = device_open(&ends->device, NULL, options->device);

	ends->hook = options->hook;
	if (!error)
		ends->object = bpf_object__open(options->ends);
	if (!error)
		error = ends->object ? load(ends, tested, entry) : -errno;
	if (error)
		fprintf(stderr, "what becomes of packets cannot be counted\n");
	return error;
}

int ends_print(const struct ends *ends)
{
	uint64_t packets[ENDS];
	const char *comma = "{";
	int end, error = ends_read(ends, packets);

	if (error)
		return error;
	for (end = 0; end < ENDS; end++, comma = ", ")
		printf("%s\"%s\": %" PRIu64, comma, names[end], packets[end]);
	printf("}\n");
	return fflush(stdout) ? -errno : 0;
}

void ends_close(struct ends *ends)
{
	int i;

	for (i = 0; i < ends->links_count; i++)
		bpf_link__destroy(ends->links[i]);
	ends_count_passed(ends, 0);
	bpf_object__close(ends->object);
	device_close(&ends->device);
}
