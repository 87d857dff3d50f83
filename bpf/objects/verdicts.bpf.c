// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One program for each verdict: what a hook costs by what becomes of the packet, and no more. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int tx(struct xdp_md *ctx)
{
	return XDP_TX;
}

/* Back to where it came from; a verdict that a program cannot give without a helper. */
SEC("xdp")
int redirect(struct xdp_md *ctx)
{
	return bpf_redirect(ctx->ingress_ifindex, 0);
}

SEC("tc")
int tc_drop(struct __sk_buff *skb)
{
	return TC_ACT_SHOT;
}

SEC("tc")
int tc_pass(struct __sk_buff *skb)
{
	return TC_ACT_OK;
}

SEC("tc")
int tc_redirect(struct __sk_buff *skb)
{
	return bpf_redirect(skb->ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
