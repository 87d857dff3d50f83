// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Classifier, on tc egress of the source: the packets of a flow that has a rule get
 * an outer Ethernet header and the NSH of the rule; all others leave as they are.
 */
#include "nsh_stage.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NSH_RULES_MAX);
	__type(key, struct nsh_flow);
	__type(value, struct nsh_header);
} flows SEC(".maps");

/* The rule of exactly this flow, else that of its addresses and protocol. */
static __always_inline const struct nsh_header *find_rule(struct nsh_flow *flow)
{
	const struct nsh_header *rule = bpf_map_lookup_elem(&flows, flow);

	if (rule)
		return rule;
	flow->source_port = 0;
	flow->destination_port = 0;
	return bpf_map_lookup_elem(&flows, flow);
}

SEC("tc")
int nsh_classify(struct __sk_buff *skb)
{
	const struct nsh_header *rule;
	struct nsh_flow flow;

	nsh_linear(skb);
	if (nsh_read_flow((void *)(long)skb->data, (void *)(long)skb->data_end, &flow))
		return nsh_let_by(TC_ACT_UNSPEC);
	rule = find_rule(&flow);
	return rule ? nsh_push(skb, rule) : nsh_let_by(TC_ACT_UNSPEC);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
