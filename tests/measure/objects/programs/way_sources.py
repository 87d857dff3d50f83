"""Small BPF programs whose packets leave by other interfaces, CPUs and sockets, or are wide."""

WAYS = """
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
const volatile __u32 out_ifindex = 0;
#define TABLE(kind, value_type) \\
    __uint(type, BPF_MAP_TYPE_##kind); __uint(max_entries, 4); \\
    __type(key, __u32); __type(value, value_type)
struct { TABLE(DEVMAP, __u32); } ports SEC(".maps");
struct { TABLE(DEVMAP_HASH, struct bpf_devmap_val); } hashed SEC(".maps");
struct { TABLE(CPUMAP, struct bpf_cpumap_val); } cpus SEC(".maps");
struct { TABLE(XSKMAP, __u32); } sockets SEC(".maps");
struct {
    __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
    __uint(key_size, 4);
    __uint(value_size, 4);
} events SEC(".maps");
SEC("xdp") int tells_user(struct xdp_md *ctx)
{
    __u32 mark = 7;

    bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &mark, sizeof(mark));
    return XDP_DROP;
}
static __u64 last_ns;
SEC("xdp") int by_clock(struct xdp_md *ctx)
{
    __u64 now_ns = bpf_ktime_get_ns(), came_ns = last_ns;

    last_ns = now_ns;
    return now_ns - came_ns > 1000000000 ? XDP_DROP : XDP_TX;
}
SEC("xdp") int notes_clock(struct xdp_md *ctx)
{
    last_ns = bpf_ktime_get_ns();
    return XDP_TX;
}
SEC("xdp") int by_index(struct xdp_md *ctx) { return bpf_redirect(out_ifindex, 0); }
SEC("xdp") int by_map(struct xdp_md *ctx) { return bpf_redirect_map(&ports, 1, XDP_DROP); }
SEC("xdp") int by_hash(struct xdp_md *ctx) { return bpf_redirect_map(&hashed, 7, XDP_DROP); }
SEC("xdp/devmap") int stop_behind(struct xdp_md *ctx) { return XDP_DROP; }
SEC("xdp/devmap") int go_behind(struct xdp_md *ctx)
{
    return ctx->egress_ifindex ? XDP_PASS : XDP_DROP;
}
SEC("xdp/cpumap") int stop_there(struct xdp_md *ctx) { return XDP_DROP; }
SEC("xdp") int to_cpu(struct xdp_md *ctx) { return bpf_redirect_map(&cpus, 1, XDP_DROP); }
SEC("xdp") int to_all(struct xdp_md *ctx) { return bpf_redirect_map(&ports, 0, BPF_F_BROADCAST); }
SEC("xdp") int to_socket(struct xdp_md *ctx) { return bpf_redirect_map(&sockets, 0, XDP_PASS); }
static __always_inline int route(void *ctx, void *data, void *end, __u32 in)
{
    struct bpf_fib_lookup fib = { .family = 2, .ifindex = in };
    struct ethhdr *eth = data;
    struct iphdr *ip = (void *)(eth + 1);

    if ((void *)(ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP))
        return -1;
    fib.ipv4_src = ip->saddr;
    fib.ipv4_dst = ip->daddr;
    fib.tot_len = bpf_ntohs(ip->tot_len);
    if (bpf_fib_lookup(ctx, &fib, sizeof(fib), 0))
        return -1;
    __builtin_memcpy(eth->h_dest, fib.dmac, 6);
    __builtin_memcpy(eth->h_source, fib.smac, 6);
    return fib.ifindex;
}
SEC("xdp") int by_route(struct xdp_md *ctx)
{
    void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    int to = route(ctx, data, end, ctx->ingress_ifindex);

    return to < 0 ? XDP_DROP : bpf_redirect(to, 0);
}
SEC("tc") int tc_came_by(struct __sk_buff *skb)
{
    __u32 rolled = bpf_get_prandom_u32(); /* so that the context is kept over a call */

    return skb->ingress_ifindex == rolled ? TC_ACT_SHOT : TC_ACT_OK;
}
SEC("tc") int tc_route(struct __sk_buff *skb)
{
    void *data = (void *)(long)skb->data, *end = (void *)(long)skb->data_end;
    int to = route(skb, data, end, skb->ifindex);

    return to < 0 ? TC_ACT_SHOT : bpf_redirect(to, 0);
}
SEC("tc") int tc_pass(struct __sk_buff *skb) { return TC_ACT_OK; }
"""
FRAGS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
SEC("xdp.frags") int wide(struct xdp_md *ctx)
{
    unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

    if (data + 14 > end)
        return XDP_DROP;
    return bpf_xdp_get_buff_len(ctx) == end - data ? XDP_TX : XDP_ABORTED;
}
SEC("xdp.frags/devmap") int behind(struct xdp_md *ctx) { return XDP_PASS; }
"""

MAPS = """
[set]
out_ifindex = {role = "out"}
[maps.ports]
entries = [{key = 1, value = {role = "out"}}]
[maps.hashed]
entries = [{key = 7, value = {ifindex = {role = "in"}}}]
[maps.cpus]
entries = [{key = 1, value = {qsize = 4096}}]
"""
ENVIRONMENT = """
[environment]
forwarding = true
routes = [{to = "198.19.0.0/16", via = "192.0.2.2", role = "out"}]
neighbours = [{address = "192.0.2.2", mac = "02:00:00:00:00:09", role = "out"}]
interfaces.out = {addresses = ["192.0.2.1/24"]}
interfaces.in = {addresses = ["198.18.255.1/16"]}
"""
