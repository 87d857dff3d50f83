"""Programs beside each other that call functions of the kernel, some of which no kernel has."""

KERNEL_FUNCTIONS = """
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, __u64); } counts SEC(".maps");
extern int bpf_dynptr_from_xdp(struct xdp_md *xdp, __u64 flags, struct bpf_dynptr *ptr) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *ptr, __u32 offset, void *buffer,
                              __u32 size) __ksym;
extern int bpf_no_kernel_has_this(struct xdp_md *xdp) __ksym;
extern int bpf_nor_this(struct xdp_md *xdp) __ksym __weak;
struct no_kernel_has_this { int member; } __attribute__((preserve_access_index));
struct sk_buff { unsigned int len; } __attribute__((preserve_access_index));
static __attribute__((noinline)) int asks(struct xdp_md *ctx)
{
    return bpf_no_kernel_has_this(ctx);
}
SEC("xdp") int alone(struct xdp_md *ctx)
{
    __u32 key = 0;
    __u64 *count = bpf_map_lookup_elem(&counts, &key);

    if (!count)
        return XDP_ABORTED;
    ++*count;
    return XDP_DROP;
}
SEC("xdp") int has_it(struct xdp_md *ctx)
{
    struct bpf_dynptr packet;
    __u8 buffer[14], *found;

    if (bpf_dynptr_from_xdp(ctx, 0, &packet))
        return XDP_ABORTED;
    found = bpf_dynptr_slice(&packet, 0, buffer, sizeof(buffer));
    return found && found[12] == 8 ? XDP_TX : XDP_DROP;
}
SEC("xdp") int lacks_it(struct xdp_md *ctx) { return bpf_no_kernel_has_this(ctx); }
SEC("xdp") int lacks_it_below(struct xdp_md *ctx) { return asks(ctx) ? XDP_DROP : XDP_PASS; }
SEC("xdp") int asks_first(struct xdp_md *ctx)
{
    return bpf_nor_this ? bpf_nor_this(ctx) : XDP_TX;
}
SEC("xdp") int of_another_kernel(struct xdp_md *ctx)
{
    if (bpf_core_field_exists(((struct no_kernel_has_this *)0)->member))
        return XDP_DROP;
    return bpf_core_field_exists(((struct sk_buff *)0)->len) ? XDP_TX : XDP_PASS;
}
"""
