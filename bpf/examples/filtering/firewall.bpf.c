// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A hundred rules, one after the other; the first that matches decides. */
#include "examples/headers.h"

#define RULES 100

struct rule {
	__be32 source;
	__be32 mask;
	__be16 port;
	__u16 drop;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RULES);
	__type(key, __u32);
	__type(value, struct rule);
} rules SEC(".maps");

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	__be16 *ports = ip ? ports_of(ctx, ip) : NULL;

	if (!ports)
		return XDP_PASS;
	for (int i = 0; i < RULES; i++) {
		__u32 number = i;
		struct rule *rule = bpf_map_lookup_elem(&rules, &number);

		if (!rule)
			break;
		if ((ip->saddr & rule->mask) == rule->source &&
		    (!rule->port || rule->port == ports[1]))
			return rule->drop ? XDP_DROP : XDP_PASS;
	}
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
