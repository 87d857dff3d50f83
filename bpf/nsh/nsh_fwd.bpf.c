// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fwd, on tc egress: sends a packet in NSH to the next hop of its path. In a star all go to the
 * service function forwarder in its middle, which does the look-up and the ageing.
 */
#include "nsh_paths.h"

static __always_inline int to_sff(struct __sk_buff *skb)
{
	struct ethhdr *eth = (void *)(long)skb->data;

	if ((void *)(eth + 1) > (void *)(long)skb->data_end)
		return nsh_drop(NSH_MALFORMED);
	nsh_set_mac(eth->h_dest, settings.sff_mac);
	nsh_set_mac(eth->h_source, settings.own_mac);
	nsh_count(NSH_DONE);
	return TC_ACT_OK;
}

SEC("tc")
int nsh_fwd(struct __sk_buff *skb)
{
	nsh_linear(skb);
	if (!nsh_is_inside(skb))
		return nsh_let_by(TC_ACT_OK);
	return settings.to_sff ? to_sff(skb) : nsh_forward(skb, TC_ACT_OK);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
