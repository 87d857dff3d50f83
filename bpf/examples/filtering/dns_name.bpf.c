// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drops DNS queries for names of a table: reads the name, small letters, and looks its hash up. */
#include "examples/headers.h"

#define DNS_PORT     53
#define HEADER_BYTES 12
#define NAME_BYTES   64
#define FNV_START    0xcbf29ce484222325ULL
#define FNV_PRIME    0x100000001b3ULL

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, __u64);
} names SEC(".maps");

/* FNV-1a of the name's labels with their lengths; 0 where it does not end in time. */
static __always_inline __u64 name_hash(const __u8 *name, const void *end)
{
	__u64 hash = FNV_START;

	for (int i = 0; i < NAME_BYTES; i++) {
		__u8 letter;

		if ((void *)(name + i + 1) > end)
			return 0;
		letter = name[i];
		if (!letter)
			return hash;
		if (letter >= 'A' && letter <= 'Z')
			letter |= 0x20;
		hash = (hash ^ letter) * FNV_PRIME;
	}
	return 0;
}

SEC("xdp")
int dns_name(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct udphdr *udp;
	__u64 hash, *asked;

	if (!ip || ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	udp = (void *)(ip + 1);
	if ((void *)(udp + 1) > DATA_END(ctx) || udp->dest != bpf_htons(DNS_PORT))
		return XDP_PASS;
	hash = name_hash((__u8 *)(udp + 1) + HEADER_BYTES, DATA_END(ctx));
	asked = hash ? bpf_map_lookup_elem(&names, &hash) : NULL;
	if (!asked)
		return XDP_PASS;
	__sync_fetch_and_add(asked, 1);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
