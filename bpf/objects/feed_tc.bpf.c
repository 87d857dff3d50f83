// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds a tc program under test, as feed.bpf.c does an XDP program. What the program before added
 * to the packet, or took off, is undone behind the Ethernet header: there the headroom comes back.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include "feed_turn.h"

static __always_inline long restore_length(struct __sk_buff *skb, __u32 packet_bytes)
{
	int added = (int)skb->len - (int)turn.fed_bytes;

	if (skb->vlan_present && bpf_skb_vlan_pop(skb))
		return -1;
	if (turn.fed_bytes && added) /* where it cannot be, the tail is cut */
		bpf_skb_adjust_room(skb, -added, BPF_ADJ_ROOM_MAC, 0);
	turn.fed_bytes = packet_bytes;
	return skb->len != packet_bytes ? bpf_skb_change_tail(skb, packet_bytes, 0) : 0;
}

SEC("tc")
int feed(struct __sk_buff *skb)
{
	struct feed_segment *segment = this_segment();
	struct feed_frame *frame = segment ? next_frame(segment) : NULL;
	__u32 packet_bytes;

	if (!frame)
		return TC_ACT_SHOT;
	packet_bytes = frame->packet_bytes;
	if (packet_bytes < FEED_PACKET_BYTES_MIN || packet_bytes > FEED_PACKET_BYTES_MAX)
		return TC_ACT_SHOT;
	if (restore_length(skb, packet_bytes) ||
	    bpf_skb_store_bytes(skb, 0, frame->packet, packet_bytes, 0)) {
		turn.failures++;
		return TC_ACT_SHOT;
	}
	skb->mark = 0;
	skb->priority = 0;
	settle();
	bpf_tail_call(skb, &slots, segment->slot);
	return TC_ACT_SHOT;
}

SEC("tc")
int empty(struct __sk_buff *skb)
{
	return TC_ACT_OK;
}

SEC("tc")
int yardstick(struct __sk_buff *skb)
{
	return work() ? TC_ACT_OK : TC_ACT_SHOT;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
