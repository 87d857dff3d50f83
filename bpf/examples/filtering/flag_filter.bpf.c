// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Drops TCP packets whose flags make no sense, as port scans send them. */
#include "examples/headers.h"

#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define URG 0x20
#define PSH 0x08

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} by_flags SEC(".maps");

static __always_inline int is_senseless(__u8 flags)
{
	if (!flags || (flags & (SYN | FIN)) == (SYN | FIN) || (flags & (SYN | RST)) == (SYN | RST))
		return 1;
	return (flags & (FIN | PSH | URG)) == (FIN | PSH | URG);
}

SEC("xdp")
int flag_filter(struct xdp_md *ctx)
{
	struct iphdr *ip = ipv4_of(ctx);
	struct tcphdr *tcp;
	__u64 *packets;
	__u32 flags;

	if (!ip || ip->protocol != IPPROTO_TCP)
		return XDP_PASS;
	tcp = (void *)(ip + 1);
	if ((void *)(tcp + 1) > DATA_END(ctx))
		return XDP_DROP;
	flags = ((__u8 *)tcp)[13] & 0x3f;
	packets = bpf_map_lookup_elem(&by_flags, &flags);
	if (packets)
		(*packets)++;
	return is_senseless(flags) ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
