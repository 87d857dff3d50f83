"""Small BPF programs for tc."""

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
TC = {"teller_tc": TELLER_TC, "back_tc": BACK_TC}
