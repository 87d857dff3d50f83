"""A program whose limit a timer renews, and which reads no clock."""

TIMED = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
#define PERIOD_NS 1000000
#define ALLOWED	  50 /* packets a period: 0.05 Mpps */
struct window { struct bpf_timer timer; __u64 packets; };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
    __type(key, __u32); __type(value, struct window); } windows SEC(".maps");
static int renew(void *map, __u32 *key, struct window *window)
{
    window->packets = 0;
    bpf_timer_start(&window->timer, PERIOD_NS, 0);
    return 0;
}
SEC("xdp") int timed(struct xdp_md *ctx)
{
    __u32 first = 0;
    struct window *window = bpf_map_lookup_elem(&windows, &first);

    if (!window)
        return XDP_ABORTED;
    if (!window->packets) {
        bpf_timer_init(&window->timer, &windows, 1 /* CLOCK_MONOTONIC */);
        bpf_timer_set_callback(&window->timer, renew);
        bpf_timer_start(&window->timer, PERIOD_NS, 0);
    }
    return __sync_fetch_and_add(&window->packets, 1) < ALLOWED ? XDP_TX : XDP_DROP;
}
"""
