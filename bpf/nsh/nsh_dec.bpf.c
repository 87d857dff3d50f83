// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Dec, on XDP: strips outer Ethernet header and NSH, and keeps the NSH by the flow
 * inside, for nsh_enc to put back behind the function. Where a path ends nothing is
 * kept; there the path must be one that has a rule.
 */
#include "nsh_kept.h"
#include "nsh_paths.h"

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

static __always_inline int is_ours(const struct ethhdr *eth)
{
	int i;

	for (i = 0; i < ETH_ALEN; i++)
		if (eth->h_dest[i] != settings.own_mac[i])
			return 0;
	return 1;
}

static __always_inline int drop(__u32 why)
{
	nsh_count(why);
	return XDP_DROP;
}

static __always_inline int keep(struct xdp_md *ctx, const struct ethhdr *inner, int bytes_count)
{
	struct nsh_header header = { .bytes_count = bytes_count };
	struct nsh_flow flow;

	if (nsh_read_flow(inner, (void *)(long)ctx->data_end, &flow) ||
	    bpf_xdp_load_bytes(ctx, sizeof(struct ethhdr), header.bytes, bytes_count))
		return -1;
	return bpf_map_update_elem(&kept, &flow, &header, BPF_ANY) ? -1 : 0;
}

SEC("xdp")
int nsh_dec(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data, *inner;
	struct nsh_base *nsh = (void *)(eth + 1);
	int bytes_count;
	__u32 path;

	if ((void *)nsh > end || eth->h_proto != bpf_htons(NSH_ETHERTYPE) || !is_ours(eth))
		return nsh_let_by(XDP_PASS);
	bytes_count = nsh_check(nsh, end);
	inner = (void *)nsh + bytes_count;
	if (bytes_count < NSH_BASE_BYTES || bytes_count > NSH_BYTES_MAX ||
	    (void *)(inner + 1) > end)
		return drop(NSH_MALFORMED);
	if (settings.path_ends) {
		path = nsh->path;
		if (!bpf_map_lookup_elem(&paths, &path))
			return drop(NSH_UNKNOWN_PATH);
	} else if (keep(ctx, inner, bytes_count)) {
		return drop(NSH_UNKNOWN_FLOW);
	}
	if (bpf_xdp_adjust_head(ctx, sizeof(*eth) + bytes_count))
		return drop(NSH_NO_ROOM);
	nsh_count(NSH_DONE);
	return settings.to_socket ? bpf_redirect_map(&xsks, ctx->rx_queue_index, XDP_DROP)
				  : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
