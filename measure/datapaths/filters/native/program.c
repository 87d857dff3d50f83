// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/tcp.h>

#include "kernel/charged.h"
#include "kernel/pass_time.h"
#include "program.h"

#define TTL 64

struct frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct tcphdr tcp;
	char payload[6];
} __attribute__((packed));

int filter_set(struct bpf_object *object, const struct filter_settings *settings)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");

	return rodata ? bpf_map__set_initial_value(rodata, settings, sizeof(*settings)) : -ENOENT;
}

/* A frame of 64 bytes that every one of the filters drops, if it has their protocol. */
static struct frame frame_for(const struct filter_settings *settings)
{
	struct frame frame = {
		.eth.h_proto = htons(ETH_P_IP),
		.ip = { .version = 4,
			.ihl = sizeof(struct iphdr) / 4,
			.ttl = TTL,
			.protocol = IPPROTO_TCP,
			.tot_len = htons(sizeof(struct frame) - sizeof(struct ethhdr)),
			.daddr = htonl(FILTER_SUBNET + 1) },
		.tcp = { .doff = sizeof(struct tcphdr) / 4, .syn = 1, .rst = 1 },
		.payload = { '_', FILTER_MARK },
	};

	if (settings->program == FILTER_DROP_UDP_SUBNET)
		frame.ip.protocol = IPPROTO_UDP;
	return frame;
}

int filter_take_ns(const struct filter_settings *settings, int program_fd,
		   unsigned int skipped_bytes, double *program_ns)
{
	struct frame frame = frame_for(settings);
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = (char *)&frame + skipped_bytes,
		    .data_size_in = sizeof(frame) - skipped_bytes);

	return pass_time_take(program_fd, &run, program_ns);
}

int filter_memory_bytes(struct bpf_object *object, uint64_t *bytes)
{
	struct bpf_program *program = bpf_object__next_program(object, NULL);
	int error;

	*bytes = 0;
	error = charged_add(bpf_program__fd(program), bytes);
	return error ? error : charged_add_maps(object, bytes);
}

int filter_program_id(int program_fd, uint32_t *id)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);
	int error = bpf_obj_get_info_by_fd(program_fd, &info, &size);

	*id = info.id;
	return error;
}

int filter_dropped(struct bpf_object *object, uint64_t *dropped)
{
	int cores = libbpf_num_possible_cpus(), i, error;
	const __u32 key = 0;
	__u64 *counts;

	if (cores < 0)
		return cores;
	counts = calloc(cores, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	error = bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(object, "dropped"), &key,
				    counts);
	for (i = 0, *dropped = 0; i < cores; i++)
		*dropped += counts[i];
	free(counts);
	return error;
}
