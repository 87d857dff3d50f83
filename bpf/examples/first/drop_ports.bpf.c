// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be16);
	__type(value, __u64);
} ports SEC(".maps");

SEC("xdp") int drop_ports(struct xdp_md *ctx)
{
	struct iphdr *ip = (void *)(long)ctx->data + sizeof(struct ethhdr);
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > (void *)(long)ctx->data_end || ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	return bpf_map_lookup_elem(&ports, &udp->dest) ? XDP_DROP : XDP_PASS;
}
