"""A program that sends packets back where its maps and variables hold what `test_plan` says."""

READ_BACK = """
struct prefix { __u32 prefixlen; __u8 address[4]; };
struct hop {
    __u16 tag;
    __u8 mac[6];
    __u8 low : 3, high : 5;
    __s32 offset;
    struct { __u16 port; __u32 address; } ends[2];
};
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 1);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct prefix); __type(value, struct hop); } routes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 200000);
    __type(key, __u32); __type(value, __u32); } ring SEC(".maps");
struct table { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4);
    __type(key, __u32); __type(value, __u64); } inner SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 2);
    __type(key, __u32); __array(values, struct table); } outer SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 2);
    __type(key, __u32); __type(value, __u32); } programs SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_QUEUE); __uint(max_entries, 8);
    __type(value, __u32); } ids SEC(".maps");

const volatile __u32 limit = 5;
volatile struct hop fallback = { .tag = 9 };

static int is_right(void)
{
    struct prefix key = { 32, { 10, 1, 2, 3 } };
    struct hop *hop = bpf_map_lookup_elem(&routes, &key);
    __u32 *slot, index = 199999, one = 1, id = 0, asked = limit;
    __u64 *nested;
    void *table;

    if (!hop || hop->tag != 515 || hop->mac[5] != 5 || hop->low != 5 || hop->high != 17)
        return 0;
    if (hop->offset != -2 || hop->ends[1].port != 80 || hop->ends[0].port)
        return 0;
    slot = bpf_map_lookup_elem(&ring, &index);
    if (!slot || *slot != index)
        return 0;
    table = bpf_map_lookup_elem(&outer, &one);
    nested = table ? bpf_map_lookup_elem(table, &asked) : NULL;
    if (!nested || *nested != 77)
        return 0;
    bpf_map_peek_elem(&ids, &id);
    return id == 6 && limit == 100 && fallback.tag == 9 && fallback.ends[1].port == 443;
}

SEC("xdp_last") int last(struct xdp_md *ctx) { return is_right() ? XDP_TX : XDP_ABORTED; }
SEC("xdp") int first(struct xdp_md *ctx)
{
    bpf_tail_call(ctx, &programs, 1);
    return XDP_DROP;
}
"""
