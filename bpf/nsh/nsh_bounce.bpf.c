// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A function in the kernel, on tc ingress: counts a packet and sends it back by the
 * port it came in. One that is aware of NSH takes packets in NSH and decrements the
 * service index itself; the other takes what nsh_dec has left of them.
 */
#include "nsh_stage.h"

#define WORK_STEPS_MAX (1 << 20)

/* Whether a function has worked for long enough: 1 ends the loop. */
static long has_worked(__u32 step, void *until_ns)
{
	return bpf_ktime_get_ns() >= *(__u64 *)until_ns;
}

/* Stand in for a function that takes time of its own: work until it is over. */
static __always_inline void work(void)
{
	__u64 until_ns;

	if (!settings.work_ns)
		return;
	until_ns = bpf_ktime_get_ns() + settings.work_ns;
	bpf_loop(WORK_STEPS_MAX, has_worked, &until_ns, 0);
}

/* Like Enc: the index is decremented, and a packet with 0 goes no further. */
static __always_inline int count_function(struct __sk_buff *skb)
{
	struct ethhdr *eth = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	struct nsh_base *nsh = (void *)(eth + 1);
	__u32 path;

	if ((void *)(nsh + 1) > end || nsh_check(nsh, end) < 0)
		return nsh_drop(NSH_MALFORMED);
	path = bpf_ntohl(nsh->path);
	if ((path & 0xff) <= 1)
		return nsh_drop(NSH_SI_OUT);
	nsh->path = bpf_htonl(path - 1);
	return TC_ACT_OK;
}

SEC("tc")
int nsh_bounce(struct __sk_buff *skb)
{
	nsh_linear(skb);
	if (settings.nsh_aware != nsh_is_inside(skb) || nsh_is_for_group(skb))
		return nsh_let_by(TC_ACT_OK);
	if (settings.nsh_aware && count_function(skb) == TC_ACT_SHOT)
		return TC_ACT_SHOT;
	work();
	nsh_count(NSH_DONE);
	return bpf_redirect(skb->ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
