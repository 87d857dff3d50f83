// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts what becomes of packets that a program under test got, where the driver does not. What
 * goes wrong raises a tracepoint on either XDP hook. Above the driver, packets that pass are
 * counted behind the hook; nothing counts those that are redirected but a tracepoint. Of a tc
 * program it is counted what it returns.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "objects/ends.h"

/* As the kernel calls them; its type information says where the members are. */
struct bpf_prog_aux {
	__u32 id;
} __attribute__((preserve_access_index));

struct bpf_prog {
	struct bpf_prog_aux *aux;
} __attribute__((preserve_access_index));

struct ns_common {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct net {
	struct ns_common ns;
} __attribute__((preserve_access_index));

typedef struct {
	struct net *net;
} __attribute__((preserve_access_index)) possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
	__u8 redirected : 1;
} __attribute__((preserve_access_index));

enum skb_drop_reason {
	SKB_DROP_REASON_TC_INGRESS = 1, /* whatever it is there */
};

const volatile struct ends_settings settings = {};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ENDS);
	__type(key, __u32);
	__type(value, __u64);
} ends SEC(".maps");

static __always_inline void add(__u32 end, __u64 more)
{
	__u64 *packets = bpf_map_lookup_elem(&ends, &end);

	if (packets)
		*packets += more;
}

static __always_inline void count(__u32 end)
{
	add(end, 1);
}

static __always_inline void count_of(const struct bpf_prog *program, __u32 end)
{
	if (program->aux->id == settings.program_id)
		count(end);
}

/* xdp_exception(device, program, verdict); what is not a verdict is taken for XDP_ABORTED. */
SEC("?tp_btf/xdp_exception")
int count_exception(unsigned long long *arguments)
{
	__u32 verdict = arguments[2];

	count_of((void *)arguments[1], verdict == XDP_TX ? END_UNSENT : END_ABORTED);
	return 0;
}

/* xdp_redirect_err(device, program, ...) */
SEC("?tp_btf/xdp_redirect_err")
int count_undirected(unsigned long long *arguments)
{
	count_of((void *)arguments[1], END_UNDIRECTED);
	return 0;
}

/*
 * xdp_redirect(device, program, target, error, type of map, ...); frames of the generator are
 * redirected too.
 */
SEC("?tp_btf/xdp_redirect")
int count_redirected(unsigned long long *arguments)
{
	count_of((void *)arguments[1], END_REDIRECT);
	if (arguments[4] == BPF_MAP_TYPE_CPUMAP)
		count_of((void *)arguments[1], END_TO_CPU);
	return 0;
}

/* xdp_cpumap_enqueue(map, taken, not taken, CPU), of up to eight packets */
SEC("?tp_btf/xdp_cpumap_enqueue")
int count_untaken(unsigned long long *arguments)
{
	__u32 map = arguments[0], untaken = arguments[2], i;

#pragma unroll
	for (i = 0; i < ENDS_CPUMAPS_MAX; i++)
		if (map && map == settings.cpumaps[i])
			add(END_UNTAKEN, untaken);
	return 0;
}

/* What was redirected to a CPU comes by here too, on its way up from there. */
SEC("?tc")
int count_passed(struct __sk_buff *skb)
{
	if (!BPF_CORE_READ_BITFIELD_PROBED((struct sk_buff *)(void *)skb, redirected))
		count(END_PASS);
	return TC_ACT_UNSPEC;
}

static __always_inline int is_of(const struct ends_code *code, __u64 address)
{
	int part;

#pragma unroll
	for (part = 0; part < ENDS_PARTS; part++)
		if (address >= code->first[part] && address < code->behind[part])
			return 1;
	return 0;
}

static __always_inline int is_of_device(const struct sk_buff *skb)
{
	const struct net_device *device = skb->dev;

	return device && (__u32)device->ifindex == settings.ifindex &&
	       device->nd_net.net->ns.inum == settings.netns;
}

/* kfree_skb(skb, location, reason, socket): what a tc program drops has a reason of its own. */
SEC("?tp_btf/kfree_skb")
int count_freed(unsigned long long *arguments)
{
	enum skb_drop_reason of_tc =
		bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_TC_INGRESS);
	const struct ends_code redirect = settings.redirect;

	if (!is_of_device((void *)arguments[0]))
		return 0;
	if ((enum skb_drop_reason)arguments[2] == of_tc)
		count(END_DROP);
	else if (is_of(&redirect, arguments[1]))
		count(END_UNDIRECTED);
	return 0;
}

/* consume_skb(skb, location): freed on the way up, and nobody counts it as dropped. */
SEC("?tp_btf/consume_skb")
int count_consumed(unsigned long long *arguments)
{
	const struct ends_code receive = settings.receive;

	if (is_of(&receive, arguments[1]) && is_of_device((void *)arguments[0]))
		count(END_DROP);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
