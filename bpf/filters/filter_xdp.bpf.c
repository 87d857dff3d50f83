// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The filters of filter.h on the XDP hook, native or generic. */
#include <linux/bpf.h>
#include "filter.h"

struct filter_packet {
	void *start;
	void *end;
};

static __always_inline const void *filter_bytes(struct filter_packet *packet, __u32 offset,
						void *buffer, const __u32 size)
{
	void *bytes = packet->start + sizeof(struct ethhdr) + offset;

	return bytes + size > packet->end ? NULL : bytes;
}

SEC("xdp")
int filter_xdp(struct xdp_md *ctx)
{
	struct filter_packet packet = { (void *)(long)ctx->data, (void *)(long)ctx->data_end };
	struct ethhdr *eth = packet.start;

	if (settings.program != FILTER_DROP_ALL) {
		if ((void *)(eth + 1) > packet.end || eth->h_proto != bpf_htons(ETH_P_IP))
			return XDP_PASS;
	}
	return filter_drops(&packet) ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
