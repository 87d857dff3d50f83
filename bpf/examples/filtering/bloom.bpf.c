// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drops sources that a Bloom filter may hold: three bits of a table of 64-bit words. */
#include "examples/headers.h"

#define WORDS  16384
#define HASHES 3

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WORDS);
	__type(key, __u32);
	__type(value, __u64);
} bits SEC(".maps");

static __always_inline __u64 mixed(__u64 word)
{
	word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93ULL;
	word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93ULL;
	return word ^ (word >> 32);
}

SEC("xdp")
int bloom(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__u64 hash;

	if (!ip)
		return XDP_PASS;
	hash = mixed(ip->saddr);
	for (int i = 0; i < HASHES; i++) {
		__u32 at = hash % WORDS, bit = hash >> 58;
		__u64 *word = bpf_map_lookup_elem(&bits, &at);

		if (!word || !(*word >> bit & 1))
			return XDP_PASS;
		hash = mixed(hash);
	}
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
