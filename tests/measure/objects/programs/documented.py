"""An object that the maps file of docs/objects/inputs.md fits."""

DOCUMENTED = """
struct prefix { __u32 prefixlen; __u8 address[4]; };
struct hop { __u32 ifindex; __u8 mac[6]; struct { __u16 port; } ends[2]; };
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 100);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, struct prefix); __type(value, struct hop); } routes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 16);
    __type(key, struct flow { __u32 address; __u16 port; });
    __type(value, struct quota { __u64 packets; }); } limits SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 200000);
    __type(key, __u32); __type(value, __u32); } ring SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096);
    __type(key, __u32); __type(value, __u64); } sources SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 2);
    __type(key, __u32); __type(value, __u32); } programs SEC(".maps");
struct table { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);
    __type(key, __u32); __type(value, __u64); } inner SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH_OF_MAPS); __uint(max_entries, 4);
    __type(key, __u32); __array(values, struct table); } outer SEC(".maps");
const volatile int limit = 5;
volatile __u64 counts[4] = { 1, 2 };
volatile struct hop fallback;

SEC("xdp") int parse(struct xdp_md *ctx)
{
    fallback.ifindex = limit;
    return counts[0] ? XDP_PASS : XDP_DROP;
}
"""
