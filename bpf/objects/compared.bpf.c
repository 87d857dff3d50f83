// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What `linerate compare` puts on XDP and on tc: the same work on both hooks, then the packet goes
 * back by the port it came in, its Ethernet addresses exchanged.
 *
 *   swap      nothing else
 *   accesses  memory_accesses lookups in a per-CPU array, each written
 *   route     a lookup of the longest prefix among ENTRIES
 *   count     a lookup in a hash table of ENTRIES, written
 *
 * Those whose names begin with drop_ drop the packet instead, at a hook of netfilter, too.
 *
 * Keys are drawn, so that no prefetcher follows; a table gets an entry when its key is first drawn.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ENTRIES	    512
#define PREFIX_BITS 24
#define STRIDE	    64 /* lookups to a call of bpf_loop(), which the verifier walks once */

const volatile __u32 memory_accesses = 0;

struct counter {
	__u64 packets;
	__u8 rest[56];
};

struct prefix {
	__u32 bits;
	__be32 address;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} accessed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ENTRIES);
	__type(key, __u32);
	__type(value, struct counter);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, ENTRIES);
	__type(key, struct prefix);
	__type(value, struct counter);
} routes SEC(".maps");

static __u32 drawn = 1;

/* The generator's upper bits, which are its good ones. */
static __always_inline __u32 next_key(void)
{
	drawn = drawn * 1664525 + 1013904223;
	return (__u64)drawn * ENTRIES >> 32;
}

static __always_inline int exchange(void *data, void *end)
{
	struct ethhdr *eth = data;
	__u8 address[ETH_ALEN];

	if ((void *)(eth + 1) > end)
		return -1;
	__builtin_memcpy(address, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, address, ETH_ALEN);
	return 0;
}

static __always_inline int look_up(__u32 times)
{
	__u32 key = 0, i;
	__u64 *value;

#pragma clang loop unroll(disable)
	for (i = 0; i < times; i++) {
		value = bpf_map_lookup_elem(&accessed, &key);
		if (!value)
			return -1;
		*value += 1;
	}
	return 0;
}

static long look_up_stride(__u32 turn, void *context)
{
	return look_up(STRIDE) ? 1 : 0;
}

static __always_inline int access_memory(void)
{
	if (memory_accesses >= STRIDE)
		bpf_loop(memory_accesses / STRIDE, look_up_stride, NULL, 0);
	return look_up(memory_accesses % STRIDE);
}

static __always_inline int find(void *table, const void *key, const void *as_put)
{
	static const struct counter none = {};
	struct counter *found = bpf_map_lookup_elem(table, key);

	if (!found)
		return bpf_map_update_elem(table, as_put, &none, BPF_ANY);
	found->packets++;
	return 0;
}

static __always_inline int count_packet(void)
{
	__u32 key = next_key();

	return find(&counters, &key, &key);
}

static __always_inline int find_route(void)
{
	__u32 network = next_key() << (32 - PREFIX_BITS);
	struct prefix host = { .bits = 32, .address = bpf_htonl(network | 1) };
	struct prefix put = { .bits = PREFIX_BITS, .address = bpf_htonl(network) };

	return find(&routes, &host, &put);
}

#define DATA(ctx) (void *)(long)(ctx)->data, (void *)(long)(ctx)->data_end

/* The same work as a program of each hook. */
#define ON_BOTH_HOOKS(name, work)                                            \
	SEC("xdp")                                                           \
	int name(struct xdp_md *ctx)                                         \
	{                                                                    \
		return (work) || exchange(DATA(ctx)) ? XDP_ABORTED : XDP_TX; \
	}                                                                    \
	SEC("tc")                                                            \
	int tc_##name(struct __sk_buff *skb)                                 \
	{                                                                    \
		if ((work) || exchange(DATA(skb)))                           \
			return TC_ACT_SHOT;                                  \
		return bpf_redirect(skb->ifindex, 0);                        \
	}

#define DROPPING(name, work)                             \
	SEC("xdp")                                       \
	int drop_##name(struct xdp_md *ctx)              \
	{                                                \
		return (work) ? XDP_ABORTED : XDP_DROP;  \
	}                                                \
	SEC("tc")                                        \
	int tc_drop_##name(struct __sk_buff *skb)        \
	{                                                \
		return (work) ? TC_ACT_OK : TC_ACT_SHOT; \
	}

ON_BOTH_HOOKS(swap, 0)
ON_BOTH_HOOKS(accesses, access_memory())
ON_BOTH_HOOKS(route, find_route())
ON_BOTH_HOOKS(count, count_packet())
DROPPING(route, find_route())
DROPPING(count, count_packet())

/* And of netfilter, for what drops packets. */
SEC("netfilter")
int netfilter_drop_route(void *ctx)
{
	return find_route() ? NF_ACCEPT : NF_DROP;
}

SEC("netfilter")
int netfilter_drop_count(void *ctx)
{
	return count_packet() ? NF_ACCEPT : NF_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
