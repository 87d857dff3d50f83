// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Crossing, on tc ingress: what comes in by this device leaves by another one, through
 * the stages on the egress of that one.
 */
#include "nsh_stage.h"

SEC("tc")
int nsh_cross(struct __sk_buff *skb)
{
	struct ethhdr *eth;
	struct iphdr *ip;

	nsh_linear(skb);
	eth = (void *)(long)skb->data;
	ip = (void *)(eth + 1);
	if ((void *)(ip + 1) > (void *)(long)skb->data_end || nsh_is_for_group(skb))
		return nsh_let_by(TC_ACT_OK);
	if (settings.skip_protocol && eth->h_proto == bpf_htons(ETH_P_IP) &&
	    ip->protocol == settings.skip_protocol)
		return nsh_let_by(TC_ACT_OK);
	nsh_count(NSH_DONE);
	return bpf_redirect(settings.out_ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
