// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends every packet back, and copies the head of one in 64 to a ring buffer while it has room. */
#include "examples/headers.h"

#define ONE_IN	   64
#define HEAD_BYTES 54

struct sample {
	__u32 packet_bytes;
	__u8 head[HEAD_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} samples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

static __always_inline void sample_of(struct xdp_md *ctx)
{
	void *data = DATA(ctx);
	struct sample *sample;

	if (data + HEAD_BYTES > DATA_END(ctx))
		return;
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample)
		return;
	sample->packet_bytes = ctx->data_end - ctx->data;
	__builtin_memcpy(sample->head, data, HEAD_BYTES);
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
}

SEC("xdp")
int sampler(struct xdp_md *ctx)
{
	__u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&packets, &only);

	if (count && (*count)++ % ONE_IN == 0)
		sample_of(ctx);
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
