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

/*
 * Two of them, half each, in an order that no processor learns: what packets share that go the same
 * way, they then share with fewer. Without a branch, which would be the program's own time.
 */
static __u32 drawn = 1;

static __always_inline int one_of(int one, int other)
{
	int which;

	drawn = drawn * 1664525 + 1013904223;
	which = drawn >> 31;
	barrier_var(which); /* the compiler would make a branch of it */
	return one + which * (other - one);
}

SEC("xdp")
int drop_pass(struct xdp_md *ctx)
{
	return one_of(XDP_DROP, XDP_PASS);
}

SEC("xdp")
int drop_tx(struct xdp_md *ctx)
{
	return one_of(XDP_DROP, XDP_TX);
}

SEC("xdp")
int pass_tx(struct xdp_md *ctx)
{
	return one_of(XDP_PASS, XDP_TX);
}

SEC("tc")
int tc_drop_pass(struct __sk_buff *skb)
{
	return one_of(TC_ACT_SHOT, TC_ACT_OK);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
