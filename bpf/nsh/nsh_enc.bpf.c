// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Enc, on tc egress: puts the kept NSH back in front of what the function sent and
 * counts the function by its service index. A packet whose header nobody kept is
 * dropped: it was never on a path.
 */
#include "nsh_kept.h"

/* -1 when the index is used up: no packet is sent on with 0 (RFC 8300, section 2.3). */
static __always_inline int count_function(struct nsh_header *header)
{
	__u8 *index = &header->bytes[NSH_BASE_BYTES - 1];

	if (*index <= 1)
		return -1;
	*index -= 1;
	return 0;
}

SEC("tc")
int nsh_enc(struct __sk_buff *skb)
{
	const struct nsh_header *found;
	struct nsh_header header;
	struct nsh_flow flow;

	nsh_linear(skb);
	if (nsh_is_inside(skb))
		return nsh_let_by(TC_ACT_UNSPEC);
	if (nsh_read_flow((void *)(long)skb->data, (void *)(long)skb->data_end, &flow))
		return nsh_drop(NSH_UNKNOWN_FLOW);
	found = bpf_map_lookup_elem(&kept, &flow);
	if (!found)
		return nsh_drop(NSH_UNKNOWN_FLOW);
	header = *found;
	if (count_function(&header))
		return nsh_drop(NSH_SI_OUT);
	return nsh_push(skb, &header);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
