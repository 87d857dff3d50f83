// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A pipeline of three programs, each calling the next through a table: parse, classify, send. */
#include "examples/headers.h"

enum stage {
	CLASSIFY,
	SEND,
	STAGES,
};

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, STAGES);
	__type(key, __u32);
	__type(value, __u32);
} stages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be16);
	__type(value, __u64);
} classes SEC(".maps");

SEC("xdp")
int parse(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);

	if (!ip || !ports_of(ctx, ip))
		return XDP_DROP;
	bpf_tail_call(ctx, &stages, CLASSIFY);
	return XDP_ABORTED;
}

SEC("xdp")
int classify(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	__u64 *packets;
	__be16 port;

	if (!ports)
		return XDP_DROP;
	port = ports[1];
	packets = bpf_map_lookup_elem(&classes, &port);
	if (!packets)
		return XDP_DROP;
	(*packets)++;
	bpf_tail_call(ctx, &stages, SEND);
	return XDP_ABORTED;
}

SEC("xdp")
int send(struct xdp_md *ctx)
{
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
