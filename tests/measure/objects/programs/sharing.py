"""Counts in an entry that all cores share, or in one of each core's own; behind the common head."""

SHARING = """
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, __u64); } of_all SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, __u64); } of_each SEC(".maps");

static __always_inline int count(void *map)
{
    __u32 key = 0;
    __u64 *value = bpf_map_lookup_elem(map, &key);

    if (!value)
        return XDP_ABORTED;
    for (int i = 0; i < 16; i++)
        __sync_fetch_and_add(value, 1);
    return XDP_DROP;
}

SEC("xdp") int shared(struct xdp_md *ctx)
{
    return count(&of_all);
}

SEC("xdp") int apart(struct xdp_md *ctx)
{
    return count(&of_each);
}
"""
