// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>

#include "feeding.h"

static const char *const slot_names[] = {
	[FEED_EMPTY] = "empty",
	[FEED_YARDSTICK] = "yardstick",
};

static struct bpf_map *map_of(const struct feeding *feeding, const char *name)
{
	return bpf_object__find_map_by_name(feeding->object, name);
}

static int fd_of(const struct feeding *feeding, const char *name)
{
	return bpf_map__fd(map_of(feeding, name));
}

/* libbpf sets this flag when it loads a program, and keeps it to itself. */
static uint32_t flags_of(const struct bpf_program *program)
{
	static const char frags[] = "xdp.frags";
	int has_frags = !strncmp(bpf_program__section_name(program), frags, sizeof(frags) - 1);

	return bpf_program__flags(program) | (has_frags ? BPF_F_XDP_HAS_FRAGS : 0);
}

/* A program calls only programs of its own kind. */
static void resemble(struct bpf_object *object, const struct bpf_program *tested)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(object, program))) {
		bpf_program__set_type(program, bpf_program__type(tested));
		bpf_program__set_expected_attach_type(program,
						      bpf_program__expected_attach_type(tested));
		bpf_program__set_flags(program, flags_of(tested));
	}
}

static int put(int map_fd, const void *values, uint32_t count, size_t value_bytes)
{
	uint32_t at;

	for (at = 0; at < count; at++)
		if (bpf_map_update_elem(map_fd, &at, (const char *)values + at * value_bytes,
					BPF_ANY))
			return -errno;
	return 0;
}

static int put_slot(const struct feeding *feeding, uint32_t slot, int program_fd)
{
	return bpf_map_update_elem(fd_of(feeding, "slots"), &slot, &program_fd, BPF_ANY) ? -errno
											 : 0;
}

static int put_slots(const struct feeding *feeding, const struct bpf_program *tested)
{
	const struct bpf_program *program;
	uint32_t slot;
	int error = 0;

	for (slot = 0; !error && slot < FEED_TESTED; slot++) {
		program = bpf_object__find_program_by_name(feeding->object, slot_names[slot]);
		error = put_slot(feeding, slot, bpf_program__fd(program));
	}
	return error ? error : put_slot(feeding, FEED_TESTED, bpf_program__fd(tested));
}

static int load(struct feeding *feeding, const struct bpf_program *tested,
		const struct frames *frames)
{
	int error;

	resemble(feeding->object, tested);
	bpf_map__set_max_entries(map_of(feeding, "frames"), frames->count);
	bpf_map__set_max_entries(map_of(feeding, "order"), frames->order_count);
	error = bpf_object__load(feeding->object);
	if (error)
		return error;
	feeding->feed_fd =
		bpf_program__fd(bpf_object__find_program_by_name(feeding->object, "feed"));
	error = frames_put(frames, fd_of(feeding, "frames"), fd_of(feeding, "order"));
	return error ? error : put_slots(feeding, tested);
}

static int map_turn(struct feeding *feeding)
{
	void *turn = mmap(NULL, sizeof(struct feed_turn), PROT_READ | PROT_WRITE, MAP_SHARED,
			  fd_of(feeding, ".bss"), 0);

	feeding->turn = turn == MAP_FAILED ? NULL : turn;
	return feeding->turn ? 0 : -errno;
}

int feeding_open(struct feeding *feeding, const char *path, const struct bpf_program *tested,
		 const struct frames *frames)
{
	int error;

	/* An skb has the protocol of the packet that the test run begins with. */
	memcpy(feeding->packet, frames->all[0].packet, ETH_HLEN);
	feeding->is_tc = bpf_program__type(tested) == BPF_PROG_TYPE_SCHED_CLS;
	feeding->object = bpf_object__open(path);
	if (!feeding->object)
		return -errno;
	error = load(feeding, tested, frames);
	if (!error)
		error = map_turn(feeding);
	if (error)
		fprintf(stderr, "%s: %s\n", path, strerror(-error));
	return error;
}

int feeding_plan(struct feeding *feeding, const struct feed_segment *segments, uint32_t count)
{
	feeding->turn->segments = count;
	return put(fd_of(feeding, "segments"), segments, count, sizeof(*segments));
}

int feeding_run(struct feeding *feeding, uint32_t runs, uint32_t *verdict)
{
	char after[FEED_PACKET_BYTES_MAX * 2];
	struct xdp_md xdp = { .data_end = sizeof(feeding->packet),
			      .ingress_ifindex = feeding->ifindex };
	struct __sk_buff skb = { .ifindex = feeding->ifindex };
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = feeding->packet,
		    .data_size_in = sizeof(feeding->packet), .data_out = after,
		    .data_size_out = sizeof(after), .repeat = runs);
	struct feed_turn begin = { .segments = feeding->turn->segments };

	if (feeding->ifindex) {
		run.ctx_in = feeding->is_tc ? (void *)&skb : (void *)&xdp;
		run.ctx_size_in = feeding->is_tc ? sizeof(skb) : sizeof(xdp);
	}
	memcpy((void *)feeding->turn, &begin, sizeof(begin));
	if (bpf_prog_test_run_opts(feeding->feed_fd, &run))
		return -errno;
	feeding->last_packet_bytes = run.data_size_out;
	if (verdict)
		*verdict = run.retval;
	return feeding->turn->failures ? -EBADMSG : 0;
}

int feeding_samples(struct feeding *feeding, uint32_t *samples, uint32_t count)
{
	uint32_t at;

	if (feeding->turn->samples < count)
		return -ENODATA;
	for (at = 0; at < count; at++)
		if (bpf_map_lookup_elem(fd_of(feeding, "samples"), &at, &samples[at]))
			return -errno;
	return 0;
}

void feeding_close(struct feeding *feeding)
{
	if (feeding->turn)
		munmap((void *)feeding->turn, sizeof(*feeding->turn));
	bpf_object__close(feeding->object);
}
