"""Programs for which it counts what came before."""

OPENING = """
int opened;
SEC("xdp") int open(struct xdp_md *ctx)
{
    if (ctx->data_end - ctx->data > 1000)
        opened = 1;
    return opened ? XDP_TX : XDP_DROP;
}
"""
"""Sends packets back once a long one has come."""
REMEMBERING = """
struct { __uint(type, BPF_MAP_TYPE_LRU_HASH); __uint(max_entries, 64);
    __type(key, __u32); __type(value, __u64); } seen SEC(".maps");
SEC("xdp") int remember(struct xdp_md *ctx)
{
    unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    __u64 one = 1;
    __u32 source;

    if (data + 34 > end)
        return XDP_ABORTED;
    source = *(__u32 *)(data + 26);
    if (bpf_map_lookup_elem(&seen, &source))
        return XDP_PASS;
    bpf_map_update_elem(&seen, &source, &one, BPF_ANY);
    return XDP_DROP;
}
"""
"""Passes the packets of sources that it has seen, and drops the first of each."""
