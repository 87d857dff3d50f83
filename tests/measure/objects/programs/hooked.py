"""Programs for netfilter, and one beside them for XDP."""

HOOKED = """
#include <linux/bpf.h>
#include <linux/netfilter.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
const volatile __u32 every = 3;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, __u64); } turns SEC(".maps");
SEC("netfilter") int drops_one_of(void *ctx)
{
    __u32 key = 0;
    __u64 *turn = bpf_map_lookup_elem(&turns, &key);

    if (!turn || ++*turn % every)
        return NF_ACCEPT;
    return NF_DROP;
}
SEC("netfilter") int refused(void *ctx)
{
    return 7;
}
SEC("xdp") int beside(struct xdp_md *ctx)
{
    return XDP_DROP;
}
"""
