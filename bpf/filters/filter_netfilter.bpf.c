// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The filters of filter.h on a netfilter hook of IPv4 (kernel 6.4), where a
 * packet begins with its IP header. Its bytes are read by way of a dynptr:
 * the hook's context holds the kernel's own sk_buff.
 */
#include <linux/bpf.h>
#include <linux/netfilter.h>
#include "filter.h"

/* As the kernel calls its context; its type information gives what it points to. */
struct bpf_nf_ctx {
	const struct nf_hook_state *state;
	struct sk_buff *skb;
};

/* Of these the kernel's own type information gives the rest, and where the members are. */
struct net_device {
	int ifindex;
} __attribute__((preserve_access_index));

struct nf_hook_state {
	struct net_device *in;
} __attribute__((preserve_access_index));

extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *ptr) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *ptr, __u32 offset, void *buffer,
			      __u32 buffer__szk) __ksym;

struct filter_packet {
	struct bpf_dynptr bytes;
};

static __always_inline const void *filter_bytes(struct filter_packet *packet, __u32 offset,
						void *buffer, const __u32 size)
{
	return bpf_dynptr_slice(&packet->bytes, offset, buffer, size);
}

SEC("netfilter")
int filter_netfilter(struct bpf_nf_ctx *ctx)
{
	struct filter_packet packet;

	/* On a host of its own the rest of the host's packets are none of ours. */
	if (settings.ifindex && ctx->state->in->ifindex != (int)settings.ifindex)
		return NF_ACCEPT;
	if (settings.program != FILTER_DROP_ALL &&
	    bpf_dynptr_from_skb((struct __sk_buff *)ctx->skb, 0, &packet.bytes))
		return NF_ACCEPT;
	return filter_drops(&packet) ? NF_DROP : NF_ACCEPT;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
