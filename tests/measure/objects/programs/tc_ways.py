"""Programs of tc whose verdicts depend on what helpers do to their packet."""

TC_WAYS = r"""
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
static __always_inline int byte_is(struct __sk_buff *skb, int at, int wanted)
{
    unsigned char byte;

    return !bpf_skb_load_bytes(skb, at, &byte, 1) && byte == wanted ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int by_bytes(struct __sk_buff *skb)
{
    unsigned char *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

    return data + 34 <= end && data[14] == 0x45 && data[23] == 17 ? TC_ACT_OK : TC_ACT_SHOT;
}
SEC("tc") int by_length(struct __sk_buff *skb)
{
    return skb->len == 60 && skb->data_end - skb->data == 60 ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int by_protocol(struct __sk_buff *skb)
{
    if (skb->protocol != bpf_htons(ETH_P_IP) || skb->mark || skb->vlan_present)
        return TC_ACT_OK;
    return bpf_redirect(skb->ifindex, 0);
}
SEC("tc") int copied(struct __sk_buff *skb)
{
    unsigned char kept[6];

    if (bpf_skb_load_bytes(skb, 12, kept, 6) || bpf_skb_store_bytes(skb, 30, kept, 6, 0))
        return TC_ACT_OK;
    return byte_is(skb, 32, 0x45);
}
SEC("tc") int tagged(struct __sk_buff *skb)
{
    if (bpf_skb_vlan_push(skb, bpf_htons(ETH_P_8021Q), 5) || !skb->vlan_present)
        return TC_ACT_OK;
    return bpf_skb_vlan_pop(skb) || skb->vlan_present ? TC_ACT_OK : TC_ACT_SHOT;
}
SEC("tc") int longer(struct __sk_buff *skb)
{
    if (bpf_skb_change_tail(skb, 80, 0) || skb->len != 80)
        return TC_ACT_OK;
    return byte_is(skb, 79, 0);
}
SEC("tc") int shorter(struct __sk_buff *skb)
{
    unsigned char byte;

    if (bpf_skb_change_tail(skb, 40, 0))
        return TC_ACT_OK;
    return bpf_skb_load_bytes(skb, 40, &byte, 1) ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int before(struct __sk_buff *skb)
{
    if (bpf_skb_change_head(skb, 14, 0) || skb->len != 74)
        return TC_ACT_OK;
    return byte_is(skb, 28, 0x45);
}
SEC("tc") int roomy(struct __sk_buff *skb)
{
    if (bpf_skb_adjust_room(skb, 8, BPF_ADJ_ROOM_MAC, 0) || skb->len != 68)
        return TC_ACT_OK;
    return byte_is(skb, 12, 8) == TC_ACT_SHOT ? byte_is(skb, 22, 0x45) : TC_ACT_OK;
}
SEC("tc") int tunnelled(struct __sk_buff *skb)
{
    if (bpf_skb_adjust_room(skb, 8, BPF_ADJ_ROOM_NET, 0))
        return TC_ACT_OK;
    return byte_is(skb, 14, 0x45) == TC_ACT_SHOT ? byte_is(skb, 45, 9) : TC_ACT_OK;
}
SEC("tc") int unroomy(struct __sk_buff *skb)
{
    if (bpf_skb_adjust_room(skb, -8, BPF_ADJ_ROOM_MAC, 0) || skb->len != 52)
        return TC_ACT_OK;
    return byte_is(skb, 15, 17);
}
SEC("tc") int marked(struct __sk_buff *skb)
{
    skb->mark = 3;
    skb->cb[1] += 5;
    return skb->mark == 3 && skb->cb[1] == 5 && !skb->cb[2] ? TC_ACT_SHOT : TC_ACT_OK;
}
unsigned long long load_half(void *skb, unsigned long long at) asm("llvm.bpf.load.half");
SEC("tc") int classic(struct __sk_buff *skb)
{
    return load_half(skb, 12) == ETH_P_IP ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int relative(struct __sk_buff *skb)
{
    unsigned char byte;

    if (bpf_skb_load_bytes_relative(skb, 9, &byte, 1, BPF_HDR_START_NET))
        return TC_ACT_OK;
    return byte == 17 ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int summed(struct __sk_buff *skb)
{
    unsigned int nothing = 0;

    if (bpf_l3_csum_replace(skb, 24, 1, 2, 2) || bpf_get_hash_recalc(skb) == nothing)
        return TC_ACT_OK;
    return TC_ACT_OK;
}
"""
