// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Entry of the generator's frames, on tc ingress of the source: frames of the counted
 * time leave by out_ifindex, through the stages on its egress. Those that a generator
 * sends before go no further: no stage or socket behind could tell them from the others.
 */
#include "nsh_stage.h"
#include <linux/tcp.h>
#include <linux/udp.h>
#include "traffic.h"

static __always_inline struct traffic_payload *payload_of(struct __sk_buff *skb)
{
	struct traffic_udp_frame *udp = (void *)(long)skb->data;
	struct traffic_tcp_frame *tcp = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;

	if ((void *)(udp + 1) > end)
		return NULL;
	if (udp->ip.protocol == IPPROTO_UDP)
		return &udp->payload;
	return udp->ip.protocol == IPPROTO_TCP && (void *)(tcp + 1) <= end ? &tcp->payload : NULL;
}

SEC("tc")
int nsh_entry(struct __sk_buff *skb)
{
	struct traffic_payload *payload;

	nsh_linear(skb);
	payload = payload_of(skb);
	if (!payload || payload->magic != TRAFFIC_MAGIC)
		return nsh_let_by(TC_ACT_OK);
	if (payload->phase == TRAFFIC_WARM_UP)
		return nsh_drop(NSH_EARLY);
	nsh_count(NSH_DONE);
	return bpf_redirect(settings.out_ifindex, 0);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
