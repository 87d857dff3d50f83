// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpf/objects/ends.h"
#include "ends.h"

/* Newer than the headers that this is built with (kernel 6.6). */
#define ATTACH_TCX_INGRESS 46
#define LINE_BYTES	   512

static const char *const names[ENDS] = {
	[END_ABORTED] = "aborted",	 [END_DROP] = "drop",
	[END_PASS] = "passed",		 [END_TX] = "tx",
	[END_REDIRECT] = "redirect",	 [END_UNSENT] = "unsent",
	[END_UNDIRECTED] = "undirected",
};

static const char pass_counter[] = "count_passed";
static const char *const always[] = { "count_exception", "count_undirected", NULL };
static const char *const of_redirecting[] = { "count_redirected", NULL };
static const char *const none[] = { NULL };

/* Of a device, whoever sends by it. */
struct sent {
	uint64_t packets;
	uint64_t lost; /* too long, or the other end took no more */
};

static int set_program(struct bpf_object *object, int program_fd)
{
	struct bpf_prog_info info = {};
	uint32_t bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(program_fd, &info, &bytes))
		return -errno;
	return bpf_map__set_initial_value(bpf_object__find_map_by_name(object, ".rodata"), &info.id,
					  sizeof(info.id));
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

static void choose(struct ends *ends, const char *const chosen[])
{
	for (; *chosen; chosen++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(ends->object, *chosen),
					  true);
}

static int trace(struct ends *ends)
{
	struct bpf_program *program = NULL;
	int links = 0;

	while ((program = bpf_object__next_program(ends->object, program))) {
		if (!bpf_program__autoload(program) ||
		    !strcmp(bpf_program__name(program), pass_counter))
			continue;
		ends->links[links] = bpf_program__attach(program);
		if (!ends->links[links++])
			return -errno;
	}
	return 0;
}

/* Behind the generic hook; the link goes with us, and any other program there stays (kernel 6.6).
 */
static int count_passed(struct ends *ends)
{
	const struct bpf_program *program =
		bpf_object__find_program_by_name(ends->object, pass_counter);
	int ifindex = if_nametoindex(ends->device.name);

	ends->passed_fd =
		bpf_link_create(bpf_program__fd(program), ifindex, ATTACH_TCX_INGRESS, NULL);
	if (ends->passed_fd < 0)
		return ends->passed_fd == -EINVAL ? -EOPNOTSUPP : ends->passed_fd;
	return 0;
}

int ends_count_passed(struct ends *ends, int counted)
{
	if (ends->hook != OBJECT_GENERIC || counted == (ends->passed_fd >= 0))
		return 0;
	if (counted)
		return count_passed(ends);
	close(ends->passed_fd);
	ends->passed_fd = -1;
	return 0;
}

static int load(struct ends *ends, struct bpf_object *tested, int program_fd)
{
	static const char *const of_generic[] = { pass_counter, NULL };
	int generic = ends->hook == OBJECT_GENERIC;
	int error = set_program(ends->object, program_fd);

	if (error)
		return error;
	choose(ends, always);
	choose(ends, generic ? of_generic : none);
	choose(ends, generic && redirects(tested) ? of_redirecting : none);
	return bpf_object__load(ends->object);
}

int ends_open(struct ends *ends, const struct object_options *options, struct bpf_object *tested,
	      const struct bpf_program *entry)
{
	int error;

	ends->hook = options->hook;
	ends->object = bpf_object__open(options->ends);
	error = ends->object ? load(ends, tested, bpf_program__fd(entry)) : -errno;
	if (!error)
		error = trace(ends);
	if (!error)
		error = device_open(&ends->device, NULL, options->device);
	if (error)
		fprintf(stderr, "what becomes of packets cannot be counted\n");
	return error;
}

static int read_counted(const struct ends *ends, uint64_t packets[ENDS])
{
	int fd = bpf_map__fd(bpf_object__find_map_by_name(ends->object, "ends"));
	int cpus = libbpf_num_possible_cpus(), cpu, error = 0;
	uint64_t *of_cpu = cpus > 0 ? calloc(cpus, sizeof(*of_cpu)) : NULL;
	uint32_t end;

	if (!of_cpu)
		return cpus < 0 ? cpus : -ENOMEM;
	for (end = 0; !error && end < ENDS; end++) {
		error = bpf_map_lookup_elem(fd, &end, of_cpu) ? -errno : 0;
		for (packets[end] = 0, cpu = 0; !error && cpu < cpus; cpu++)
			packets[end] += of_cpu[cpu];
	}
	free(of_cpu);
	return error;
}

/* Packets that a device of this network namespace sent, and could not; 0 or -errno. */
static int read_sent(const char *device, struct sent *sent)
{
	FILE *file = fopen("/proc/self/net/dev", "re");
	char line[LINE_BYTES], name[LINE_BYTES];
	int found = 0;

	if (!file)
		return -errno;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line,
			       " %[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64
			       " %*u %" SCNu64,
			       name, &sent->packets, &sent->lost) == 3 &&
			!strcmp(name, device);
	fclose(file);
	return found ? 0 : -ENODEV;
}

/* The driver counts what it did; XDP_ABORTED is among its drops. */
static void end_native(const struct device_counters *driver, uint64_t packets[ENDS])
{
	packets[END_DROP] = driver->program_drops - packets[END_ABORTED];
	packets[END_TX] = driver->program_sends + driver->unsent + packets[END_UNSENT];
	packets[END_REDIRECT] = driver->redirects + packets[END_UNDIRECTED];
	packets[END_PASS] = driver->rx_packets - driver->program_drops - driver->program_sends -
			    driver->unsent - driver->redirects - driver->rx_drops;
}

/*
 * What came and is at no other end was dropped, or passed without being counted. What is redirected
 * leaves by the device too.
 */
static void end_generic(const struct device_counters *driver, const struct sent *sent,
			uint64_t packets[ENDS])
{
	uint64_t elsewhere;

	packets[END_UNSENT] += sent->lost;
	packets[END_TX] = sent->packets - packets[END_REDIRECT] + packets[END_UNSENT];
	packets[END_REDIRECT] += packets[END_UNDIRECTED];
	elsewhere = packets[END_ABORTED] + packets[END_PASS] + packets[END_TX] +
		    packets[END_REDIRECT] + driver->rx_drops;
	packets[END_DROP] = driver->rx_packets > elsewhere ? driver->rx_packets - elsewhere : 0;
}

static int read_ends(const struct ends *ends, uint64_t packets[ENDS])
{
	struct device_counters driver;
	struct sent sent = {};
	int error = read_counted(ends, packets);

	if (!error)
		error = device_read(&ends->device, &driver);
	if (!error && ends->hook == OBJECT_GENERIC)
		error = read_sent(ends->device.name, &sent);
	if (error)
		return error;
	if (ends->hook == OBJECT_GENERIC)
		end_generic(&driver, &sent, packets);
	else
		end_native(&driver, packets);
	return 0;
}

int ends_print(const struct ends *ends)
{
	uint64_t packets[ENDS];
	const char *comma = "{";
	int end, error = read_ends(ends, packets);

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

	for (i = 0; i < ENDS_LINKS_MAX; i++)
		bpf_link__destroy(ends->links[i]);
	ends_count_passed(ends, 0);
	bpf_object__close(ends->object);
	device_close(&ends->device);
}
