"""Small BPF programs for tc."""

from .tc_ways import TC_WAYS

HEAD = """
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
"""
TELLER_TC = (
    HEAD
    + """
static __always_inline int tell(struct __sk_buff *skb)
{
    unsigned char *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

    if (data + 15 > end)
        return TC_ACT_SHOT;
    if (data[14] == 7)
        return bpf_redirect(skb->ifindex, 0);
    if (data[14] == 9)
        return bpf_redirect(0x7fffffff, 0);
    return data[14] == 255 ? TC_ACT_UNSPEC : data[14];
}
SEC("tc") int direct(struct __sk_buff *skb) { return tell(skb); }
SEC("tcx/ingress") int linked(struct __sk_buff *skb) { return tell(skb); }
SEC("tc/egress") int leaving(struct __sk_buff *skb) { return tell(skb); }
SEC("classifier/bad") int bad(struct __sk_buff *skb) { return *(int *)(long)skb->data; }
"""
)
"""The same at tc: 7 goes back, 9 is a redirect that cannot be, 255 is TC_ACT_UNSPEC."""

BACK_TC = HEAD + (
    'SEC("tc") int back(struct __sk_buff *skb) { return bpf_redirect(skb->ifindex, 0); }\n'
)
CHANGING_TC = (
    HEAD
    + """
static __always_inline int as_came(struct __sk_buff *skb)
{
    unsigned char *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;

    if (skb->len != 60 || skb->vlan_present || skb->mark || data + 14 > end || data[0] == 0xee)
        return 0;
    data[0] = 0xee;
    skb->mark = 7;
    return skb->protocol == 8;
}
static __always_inline int told(long failed)
{
    return failed ? TC_ACT_OK : TC_ACT_REDIRECT;
}
SEC("tc") int write(struct __sk_buff *skb) { return told(!as_came(skb)); }
SEC("tc") int widen(struct __sk_buff *skb)
{
    return told(!as_came(skb) || bpf_skb_adjust_room(skb, 20, BPF_ADJ_ROOM_MAC, 0));
}
SEC("tc") int narrow(struct __sk_buff *skb)
{
    return told(!as_came(skb) || bpf_skb_adjust_room(skb, -8, BPF_ADJ_ROOM_MAC, 0));
}
SEC("tc") int tag(struct __sk_buff *skb)
{
    return told(!as_came(skb) || bpf_skb_vlan_push(skb, 0x81, 5) ||
                bpf_skb_vlan_push(skb, 0x81, 6));
}
SEC("tc") int cut(struct __sk_buff *skb)
{
    return told(!as_came(skb) || bpf_skb_change_tail(skb, 40, 0));
}
"""
)
"""Redirects what is an IPv4 frame of 60 bytes as no program has changed it, and changes it."""

TC = {
    "changing_tc": CHANGING_TC, "teller_tc": TELLER_TC, "back_tc": BACK_TC, "tc_ways": TC_WAYS,
}  # fmt: skip
