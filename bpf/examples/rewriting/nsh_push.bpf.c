// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Classifies by destination port and pushes a Network Service Header (RFC 8300) over Ethernet. */
#include "examples/headers.h"

#define ETH_P_NSH_	 0x894f
#define NSH_MD_TYPE_2	 2
#define NSH_NEXT_ETH	 3
#define NSH_TTL		 63
#define NSH_LENGTH_WORDS 2

struct nsh {
	__be16 version_ttl_length;
	__u8 md_type;
	__u8 next_protocol;
	__be32 path_and_index;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be16);
	__type(value, __u32);
} paths SEC(".maps");

static __always_inline int push(struct xdp_md *ctx, __u32 path_and_index)
{
	struct ethhdr *outer;
	struct nsh *nsh;

	if (bpf_xdp_adjust_head(ctx, -(int)(sizeof(*outer) + sizeof(*nsh))))
		return XDP_ABORTED;
	outer = DATA(ctx);
	nsh = (void *)(outer + 1);
	/* Behind the new headers lies the packet's own Ethernet header. */
	if ((void *)(nsh + 1) + sizeof(*outer) > DATA_END(ctx))
		return XDP_ABORTED;
	__builtin_memcpy(outer, nsh + 1, sizeof(*outer));
	outer->h_proto = bpf_htons(ETH_P_NSH_);
	nsh->version_ttl_length = bpf_htons(NSH_TTL << 6 | NSH_LENGTH_WORDS);
	nsh->md_type = NSH_MD_TYPE_2;
	nsh->next_protocol = NSH_NEXT_ETH;
	nsh->path_and_index = bpf_htonl(path_and_index);
	swap_ethernet(ctx);
	return XDP_TX;
}

SEC("xdp")
int nsh_push(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;
	__u32 *path = ports ? bpf_map_lookup_elem(&paths, &ports[1]) : NULL;

	return path ? push(ctx, *path) : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
