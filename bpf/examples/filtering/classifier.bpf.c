// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Five tables for each packet: classes of source, destination and port, a policy, its counter. */
#include "examples/headers.h"

struct prefix {
	__u32 length;
	__be32 address;
};

struct policy_key {
	__u16 source_class;
	__u16 destination_class;
	__u16 port_class;
	__u16 protocol;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, struct prefix);
	__type(value, __u16);
} sources SEC(".maps"), destinations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u16);
} port_classes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct policy_key);
	__type(value, __u32);
} policies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline __u16 class_of(void *table, __be32 address)
{
	struct prefix whole = { .length = 32, .address = address };
	__u16 *known = bpf_map_lookup_elem(table, &whole);

	return known ? *known : 0;
}

SEC("xdp")
int classifier(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	struct policy_key key = {};
	__u32 port, *number;
	__u16 *port_class;
	__u64 *counter;

	if (!ports)
		return XDP_PASS;
	port = bpf_ntohs(ports[1]);
	port_class = bpf_map_lookup_elem(&port_classes, &port);
	key.source_class = class_of(&sources, ip->saddr);
	key.destination_class = class_of(&destinations, ip->daddr);
	key.port_class = port_class ? *port_class : 0;
	key.protocol = ip->protocol;
	number = bpf_map_lookup_elem(&policies, &key);
	if (!number)
		return XDP_DROP;
	counter = bpf_map_lookup_elem(&counters, number);
	if (counter)
		(*counter)++;
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
