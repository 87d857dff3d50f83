"""Small BPF programs that treat equal frames unlike, and one that is slow."""

FICKLE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, __u64); } seen SEC(".maps");
static __always_inline __u64 count(void)
{
    __u32 first = 0;
    __u64 *packets = bpf_map_lookup_elem(&seen, &first);

    return packets ? ++*packets : 0;
}
SEC("xdp") int by_turns(struct xdp_md *ctx) { return count() & 1 ? XDP_DROP : XDP_TX; }
SEC("xdp") int by_chance(struct xdp_md *ctx)
{
    return bpf_get_prandom_u32() & 3 ? XDP_TX : XDP_DROP;
}
SEC("xdp") int at_last(struct xdp_md *ctx) { return count() > 1000 ? XDP_DROP : XDP_PASS; }
SEC("xdp") int slow(struct xdp_md *ctx)
{
    volatile __u32 sum = 0;
    __u32 i;

    for (i = 0; i < 8000; i++)
        sum += i;
    return XDP_DROP;
}
"""
