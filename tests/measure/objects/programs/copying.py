"""A program that takes bytes out of an IPv4 packet, puts others in, and sees them there."""

COPYING = """
SEC("xdp") int copy(struct xdp_md *ctx)
{
    unsigned char two[2] = {}, seen = 0;

    if (bpf_xdp_load_bytes(ctx, 12, two, 2) || two[0] != 8 || two[1] != 0)
        return XDP_ABORTED;
    two[1] = 7;
    if (bpf_xdp_store_bytes(ctx, 0, two, 2) || bpf_xdp_load_bytes(ctx, 1, &seen, 1))
        return XDP_ABORTED;
    if (!bpf_xdp_load_bytes(ctx, 5000, two, 2) || !bpf_xdp_store_bytes(ctx, 5000, two, 2))
        return XDP_ABORTED;
    return seen == 7 ? XDP_TX : XDP_DROP;
}
"""
