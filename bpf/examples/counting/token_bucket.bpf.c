// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits each destination port to a rate: a token bucket of packets, refilled by the clock. */
#include "examples/headers.h"

struct bucket {
	__u64 tokens_ns; /* time that is saved up */
	__u64 last_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __be16);
	__type(value, struct bucket);
} buckets SEC(".maps");

const volatile __u64 packet_ns = 1000;	 /* between packets at the rate that is allowed */
const volatile __u64 burst_ns = 1000000; /* saved up at most */

SEC("xdp")
int token_bucket(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	struct bucket *bucket;
	__u64 now_ns, tokens_ns;
	__be16 port;

	if (!ports)
		return XDP_PASS;
	port = ports[1];
	bucket = bpf_map_lookup_elem(&buckets, &port);
	if (!bucket)
		return XDP_PASS;
	now_ns = bpf_ktime_get_ns();
	tokens_ns = bucket->tokens_ns + now_ns - bucket->last_ns;
	bucket->last_ns = now_ns;
	if (tokens_ns > burst_ns)
		tokens_ns = burst_ns;
	if (tokens_ns < packet_ns) {
		bucket->tokens_ns = tokens_ns;
		return XDP_DROP;
	}
	bucket->tokens_ns = tokens_ns - packet_ns;
	swap_ethernet(ctx);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
