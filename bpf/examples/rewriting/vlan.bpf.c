// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pushes a VLAN tag onto untagged packets and pops that of tagged ones. */
#include "examples/headers.h"

struct vlan_header {
	__be16 tag;
	__be16 protocol;
};

const volatile __u16 vlan_id = 42;

static __always_inline int push(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx), old;
	struct vlan_header *vlan;

	old = *eth;
	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*vlan)))
		return XDP_DROP;
	eth = DATA(ctx);
	vlan = (void *)(eth + 1);
	if ((void *)(vlan + 1) > DATA_END(ctx))
		return XDP_DROP;
	*eth = old;
	eth->h_proto = bpf_htons(ETH_P_8021Q);
	vlan->tag = bpf_htons(vlan_id);
	vlan->protocol = old.h_proto;
	return XDP_TX;
}

static __always_inline int pop(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx), old;
	struct vlan_header *vlan = (void *)(eth + 1);

	if ((void *)(vlan + 1) > DATA_END(ctx))
		return XDP_DROP;
	old = *eth;
	old.h_proto = vlan->protocol;
	if (bpf_xdp_adjust_head(ctx, sizeof(*vlan)))
		return XDP_DROP;
	eth = DATA(ctx);
	if ((void *)(eth + 1) > DATA_END(ctx))
		return XDP_DROP;
	*eth = old;
	return XDP_TX;
}

SEC("xdp")
int vlan(struct xdp_md *ctx)
{
	struct ethhdr *eth = DATA(ctx);

	if ((void *)(eth + 1) > DATA_END(ctx))
		return XDP_DROP;
	return eth->h_proto == bpf_htons(ETH_P_8021Q) ? pop(ctx) : push(ctx);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
