"""Small BPF programs, of each shape that users' objects have."""

from .copying import COPYING
from .documented import DOCUMENTED
from .fickle import FICKLE
from .hooked import HOOKED
from .kernel_functions import KERNEL_FUNCTIONS
from .read_back import READ_BACK
from .remembering import OPENING, REMEMBERING
from .sharing import SHARING
from .tc_sources import TC
from .timed import TIMED
from .way_sources import FRAGS, WAYS

HEAD = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char _license[] SEC("license") = "GPL";
"""

ROUTER = (
    HEAD
    + """
enum action { FORWARD, DROP };
struct prefix { __u32 prefixlen; __u8 address[4]; };
struct hop {
    __u32 ifindex;
    __u8 mac[6];
    _Bool on;
    __u8 class : 3, priority : 5;
    __s32 offset;
    enum action action;
    struct { __be16 port; __be32 address; } ends[2];
    union { __u32 word; __u64 both; };
};
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 100);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct prefix); __type(value, struct hop); } routes SEC(".maps");
struct table { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);
    __type(key, __u32); __type(value, __u64); } inner SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH_OF_MAPS); __uint(max_entries, 4);
    __type(key, __u32); __array(values, struct table); } outer SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 4);
    __type(key, __u32); __type(value, __u32); } programs SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_DEVMAP); __uint(max_entries, 4);
    __type(key, __u32); __type(value, struct bpf_devmap_val); } ports SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_CPUMAP); __uint(max_entries, 2);
    __type(key, __u32); __type(value, __u32); } cpus SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_XSKMAP); __uint(max_entries, 2);
    __type(key, __u32); __type(value, __u32); } sockets SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8);
    __uint(key_size, 4); __uint(value_size, 12); __uint(pinning, LIBBPF_PIN_BY_NAME); }
    plain SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 200000);
    __type(key, __u32); __type(value, __u32); } ring SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_QUEUE); __uint(max_entries, 8);
    __type(value, __u32); } ids SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_LRU_HASH); __uint(max_entries, 64);
    __type(key, struct in6 { __u8 address[16]; }); __type(value, __u64); } sources SEC(".maps");

const volatile int limit = 5;
volatile __u64 counts[4] = { 1, 2 };
volatile struct hop fallback;

SEC("xdp") int route(struct xdp_md *ctx)
{
    __u32 zero = 0;
    struct prefix key = { 32 };
    struct in6 source = {};

    counts[0] += limit;
    fallback.ifindex++;
    bpf_map_lookup_elem(&plain, &zero);
    bpf_map_lookup_elem(&routes, &key);
    bpf_map_lookup_elem(&outer, &zero);
    bpf_map_lookup_elem(&inner, &zero);
    bpf_map_lookup_elem(&ring, &zero);
    bpf_map_lookup_elem(&sources, &source);
    bpf_map_pop_elem(&ids, &zero);
    bpf_tail_call(ctx, &programs, 0);
    bpf_redirect_map(&ports, 0, 0);
    bpf_redirect_map(&cpus, 0, 0);
    return bpf_redirect_map(&sockets, 0, 0);
}

SEC("xdp_fw") int firewall(struct xdp_md *ctx) { return XDP_PASS; }
SEC("tc") int shaper(struct __sk_buff *skb) { return 0; }
"""
)

ONE = HEAD + 'SEC("prog") int only(struct xdp_md *ctx) { return XDP_PASS; }\n'

LEGACY = (
    HEAD
    + """
struct bpf_map_def { unsigned int type, key_size, value_size, max_entries, map_flags; };
struct bpf_map_def SEC("maps") seen = { BPF_MAP_TYPE_HASH, 4, 8, 16, 0 };
SEC("xdp") int count(struct xdp_md *ctx)
{
    __u32 zero = 0;

    return bpf_map_lookup_elem(&seen, &zero) ? XDP_DROP : XDP_PASS;
}
"""
)

CHAIN = (
    HEAD
    + """
int drop(struct xdp_md *ctx);
struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 2);
    __uint(key_size, 4);
    __array(values, int(void *));
} calls SEC(".maps") = { .values = { [1] = (void *)&drop } };
SEC("xdp") int drop(struct xdp_md *ctx) { return XDP_DROP; }
SEC("xdp") int parse(struct xdp_md *ctx) { bpf_tail_call(ctx, &calls, 1); return XDP_PASS; }
"""
)

REWRITER = (
    HEAD
    + """
SEC("xdp") int rewrite(struct xdp_md *ctx)
{
    unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    volatile unsigned int work = 0;
    int i;

    if (data + 14 > end)
        return XDP_DROP;
    if (data[0] == 0xee)
        for (i = 0; i < 4000; i++)
            work += i;
    data[0] = 0xee;
    return XDP_TX;
}
"""
)

RESIZER = (
    HEAD
    + """
static __always_inline int tx_of(struct xdp_md *ctx, unsigned int bytes)
{
    return ctx->data_end - ctx->data == bytes ? XDP_TX : XDP_ABORTED;
}
SEC("xdp") int push(struct xdp_md *ctx)
{
    return bpf_xdp_adjust_head(ctx, -20) ? XDP_ABORTED : tx_of(ctx, 80);
}
SEC("xdp") int push_any(struct xdp_md *ctx)
{
    return bpf_xdp_adjust_head(ctx, -20) ? XDP_ABORTED : XDP_TX;
}
SEC("xdp") int pop(struct xdp_md *ctx)
{
    return bpf_xdp_adjust_head(ctx, 20) ? XDP_ABORTED : tx_of(ctx, 40);
}
SEC("xdp") int cut(struct xdp_md *ctx)
{
    return bpf_xdp_adjust_tail(ctx, -20) ? XDP_ABORTED : tx_of(ctx, 40);
}
"""
)

SORTER = (
    HEAD
    + """
SEC("xdp") int sort(struct xdp_md *ctx)
{
    return ctx->data_end - ctx->data > 60 ? XDP_PASS : XDP_DROP;
}
"""
)

BOUNCER = (
    HEAD
    + """
SEC("xdp") int bounce(struct xdp_md *ctx)
{
    return ctx->data_end - ctx->data > 60 ? XDP_PASS : XDP_TX;
}
"""
)

LOOPER = (
    HEAD
    + """
static __always_inline int work(unsigned int times)
{
    volatile unsigned int sum = 0;
    unsigned int i;

    for (i = 0; i < times; i++)
        sum += i;
    return sum ? XDP_PASS : XDP_DROP;
}
SEC("xdp") int few(struct xdp_md *ctx) { return work(20); }
SEC("xdp") int many(struct xdp_md *ctx) { return work(400); }
"""
)

LOOKED_UP = (
    HEAD
    + """
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8);
    __type(key, __u32); __type(value, __u64); __uint(pinning, LIBBPF_PIN_BY_NAME); }
    known SEC(".maps");
const volatile __u32 wanted = 0;
SEC("xdp") int look(struct xdp_md *ctx)
{
    __u32 key = wanted;

    return bpf_map_lookup_elem(&known, &key) ? XDP_TX : XDP_DROP;
}
"""
)

MIXED = (
    HEAD
    + """
SEC("my_firewall") int good(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp") int bad(struct xdp_md *ctx) { return *(int *)(long)ctx->data; }
SEC("tc") int shaper(struct __sk_buff *skb) { return 0; }
SEC("tracepoint/sched/sched_switch") int trace(void *ctx) { return 0; }
"""
)

NO_PROGRAM = "int limit = 5;\n"

TELLER = (
    HEAD
    + """
SEC("xdp") int teller(struct xdp_md *ctx)
{
    unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

    if (data + 15 > end)
        return XDP_DROP;
    if (data[14] == 8)
        return bpf_redirect(0x7fffffff, 0);
    return data[14] == 4 ? bpf_redirect(ctx->ingress_ifindex, 0) : data[14];
}
"""
)
"""Gives the verdict that a frame asks for by its 15th byte; 8 is a redirect that cannot be."""

CALLING = (
    HEAD
    + """
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64);
    __type(key, __u32); __type(value, __u64); } known SEC(".maps");
SEC("xdp") int straight(struct xdp_md *ctx)
{
    __u32 key = 1;
    __u64 *found = bpf_map_lookup_elem(&known, &key);

    if (!found)
        return XDP_DROP;
    *found = bpf_ktime_get_ns();
    return XDP_PASS;
}
SEC("xdp") int looping(struct xdp_md *ctx)
{
    __u64 sum = 0;
    int i;

#pragma clang loop unroll(disable)
    for (i = 0; i < 10; i++)
        sum += bpf_get_prandom_u32();
    return sum > bpf_ktime_get_ns() ? XDP_DROP : XDP_PASS;
}
static long draw(__u32 turn, void *sum)
{
    *(__u64 *)sum += bpf_get_prandom_u32();
    return 0;
}
static __attribute__((noinline)) __u64 clock(void)
{
    return bpf_ktime_get_ns();
}
SEC("xdp") int outer(struct xdp_md *ctx)
{
    __u64 sum = 0;

    bpf_loop(5, draw, &sum, 0);
    return sum > clock() ? XDP_DROP : XDP_PASS;
}
"""
)
SOURCES = {**TC, "ways": WAYS, "frags": FRAGS, "kernel_functions": KERNEL_FUNCTIONS,
           "calling": CALLING, "teller": TELLER, "router": ROUTER, "counting": HEAD + REMEMBERING,
           "copying": HEAD + COPYING, "opening": HEAD + OPENING,
           "one": ONE, "legacy": LEGACY, "chain": CHAIN, "timed": TIMED,
           "read_back": HEAD + READ_BACK, "documented": HEAD + DOCUMENTED,
           "no_program": NO_PROGRAM, "rewriter": REWRITER, "resizer": RESIZER, "sorter": SORTER,
           "bouncer": BOUNCER, "looper": LOOPER, "looked_up": LOOKED_UP, "mixed": MIXED,
           "sharing": HEAD + SHARING, "fickle": FICKLE, "hooked": HOOKED}  # fmt: skip
