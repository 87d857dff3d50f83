// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts packets and bytes of each source in a table that forgets the least recently seen. */
#include "examples/headers.h"

struct seen {
	__u64 packets;
	__u64 bytes;
	__u64 last_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __be32);
	__type(value, struct seen);
} sources SEC(".maps");

SEC("xdp")
int count_sources(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct seen fresh = { .packets = 1 }, *seen;
	__be32 source;

	if (!ip)
		return XDP_PASS;
	source = ip->saddr;
	seen = bpf_map_lookup_elem(&sources, &source);
	if (seen) {
		seen->packets++;
		seen->bytes += ctx->data_end - ctx->data;
		seen->last_ns = bpf_ktime_get_ns();
	} else {
		fresh.bytes = ctx->data_end - ctx->data;
		bpf_map_update_elem(&sources, &source, &fresh, BPF_ANY);
	}
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
