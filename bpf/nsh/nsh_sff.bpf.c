// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Service function forwarder of a star (RFC 7665), on tc ingress of the middle: every
 * packet between two functions comes here and leaves by the port it came in.
 */
#include "nsh_paths.h"

SEC("tc")
int nsh_sff(struct __sk_buff *skb)
{
	int verdict;

	nsh_linear(skb);
	if (!nsh_is_inside(skb))
		return nsh_let_by(TC_ACT_OK);
	verdict = nsh_forward(skb, TC_ACT_REDIRECT);
	return verdict == TC_ACT_REDIRECT ? bpf_redirect(skb->ifindex, 0) : verdict;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
