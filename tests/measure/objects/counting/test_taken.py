"""Where packets take what they take: turns of loops, lines, and calls that find nothing."""

import subprocess

import pytest

from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.counting.graph import loops_of
from linerate.measure.objects.listing import list_object

from ..conftest import INCLUDE
from .assembled import assemble, counted

TEN_TURNS = """
    r1 = 0
    r0 = 2
    r1 += 1
    if r1 < 10 goto -2
    exit
"""
"""Three instructions besides the two of each turn."""
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define MAP(kind, named) \\
    struct { __uint(type, kind); __uint(max_entries, 64); __type(key, __u32); \\
             __type(value, __u32); } named SEC(".maps")
MAP(BPF_MAP_TYPE_HASH, flows);
MAP(BPF_MAP_TYPE_PROG_ARRAY, stages);
extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *when) __ksym;

static __noinline __u32 halved(__u32 number)
{
    asm volatile("" : "+r"(number)); /* in the function */
    return number >> 1;
}
SEC("xdp") int turns(struct xdp_md *ctx)
{
    int sum = 0;

    #pragma clang loop unroll(disable)
    for (int i = 0; i < 37; i++) /* 37 turns */
        asm volatile("" : "+r"(sum));
    return XDP_DROP;
}
SEC("xdp") int nested(struct xdp_md *ctx)
{
    int sum = 0;

    #pragma clang loop unroll(disable)
    for (int i = 0; i < 5; i++) { /* 5 turns */
        asm volatile("" : "+r"(sum));
        #pragma clang loop unroll(disable)
        for (int k = 0; k < 7; k++) /* 7 turns in each */
            asm volatile("" : "+r"(sum));
    }
    return XDP_DROP;
}
SEC("xdp") int calls(struct xdp_md *ctx)
{
    __u32 sum = 0;

    #pragma clang loop unroll(disable)
    for (int i = 0; i < 3; i++) /* 3 turns */
        sum += halved(i);
    return sum > 100 ? XDP_PASS : XDP_DROP;
}
static int one_turn(__u32 turn, void *context)
{
    asm volatile("" : "+r"(turn));
    return 0;
}
SEC("xdp") int repeats(struct xdp_md *ctx)
{
    bpf_loop(12, one_turn, 0, 0); /* 12 turns */
    return XDP_DROP;
}
SEC("xdp") int asks(struct xdp_md *ctx)
{
    __u8 *data = (void *)(long)ctx->data;
    __u32 key = 7, *found;

    if (data + 34 > (__u8 *)(long)ctx->data_end)
        return XDP_PASS;
    key += *(volatile __u8 *)(data + 13) & 0; /* a byte of the packet */
    found = bpf_map_lookup_elem(&flows, &key); /* the lookup */
    if (found)
        return XDP_DROP;
    bpf_tail_call(ctx, &stages, 3); /* the tail call */
    return XDP_PASS;
}
SEC("xdp") int stamps(struct xdp_md *ctx)
{
    __u64 when = 0;

    bpf_xdp_metadata_rx_timestamp(ctx, &when); /* the kernel's function */
    return XDP_DROP;
}
char _license[] SEC("license") = "GPL";
"""


def line(marked):
    """Number of the line of the source with these words."""
    lines = SOURCE.splitlines()
    return next(number for number, text in enumerate(lines, 1) if f"/* {marked} */" in text)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("taken")
    source, path = folder / "planted.bpf.c", folder / "planted.bpf.o"
    source.write_text(SOURCE)
    subprocess.run(["clang", "-O2", "-g", "-target", "bpf", "-mcpu=v3", INCLUDE, "-c", source,
                    "-o", path], check=True)  # fmt: skip
    return path


def turns(count):
    return {one.line.line if one.line.line else one.loop.place: one.times
            for one in count.taken if one.kind == "turn"}  # fmt: skip


def turns_by_loop(count):
    return {one.loop.line.line: one.times for one in count.taken if one.kind == "turn"}


def plain(count, inside):
    """Plain instructions in a loop, or outside of any."""
    return sum(
        one.times for one in count.taken
        if one.kind in ("instruction", "packet") and (one.loop is not None) == inside
    )  # fmt: skip


def events(count, kind):
    return [(one.name, one.on, one.missed, one.line.line, one.times) for one in count.taken
            if one.kind == kind]  # fmt: skip


def test_a_loop_without_lines_is_known_by_its_place(tmp_path):
    count = counted(assemble(tmp_path / "a.o", loop=TEN_TURNS), "loop")
    assert turns(count) == {2: 10.0}
    assert (plain(count, inside=True), plain(count, inside=False)) == (20.0, 3.0)


def test_a_loop_of_37_turns_is_counted_at_its_line(path):
    count = counted(path, "turns")
    assert turns_by_loop(count) == {line("37 turns"): 37.0}
    assert -plain(count, inside=True) % 37 <= 1  # the last turn needs no jump back
    assert plain(count, inside=True) + plain(count, inside=False) == count.instructions


def test_a_loop_in_a_loop_is_counted_by_itself(path):
    count = counted(path, "nested")
    outer, inner = line("5 turns"), line("7 turns in each")
    assert turns_by_loop(count) == {outer: 5.0, inner: 35.0}
    (around,) = {one.loop.outer for one in count.taken if one.loop and one.loop.line.line == inner}
    assert around is not None
    assert (around.line.line, around.outer) == (outer, None)


def test_a_function_that_is_called_in_a_loop_is_in_it_with_its_own_lines(path):
    count = counted(path, "calls")
    assert turns_by_loop(count) == {line("3 turns"): 3.0}
    ((_, on, _, _, times),) = [one for one in events(count, "longer") if one[0] == "function_call"]
    assert (on, times) == ("halved", 3.0)
    inside = [one for one in count.taken if one.line.line > line("in the function") - 2
              and one.line.line < line("in the function") + 2]  # fmt: skip
    assert inside
    assert all(one.loop and one.loop.line.line == line("3 turns") for one in inside)


def test_a_callback_is_a_loop_at_the_call_that_repeats_it(path):
    count = counted(path, "repeats")
    assert turns_by_loop(count) == {line("12 turns"): 12.0}
    assert plain(count, inside=True) % 12 == 0
    assert plain(count, inside=True) >= 24


def test_a_lookup_in_an_empty_map_finds_nothing_and_in_a_filled_one_something(path, tmp_path):
    lookup = ("map_lookup_elem", "flows")
    empty = events(counted(path, "asks"), "call")
    assert (*lookup, True, line("the lookup"), 1.0) in empty
    assert ("tail_call", "stages", True, line("the tail call"), 1.0) in empty
    filled = tmp_path / "maps.toml"
    filled.write_text("[maps.flows]\nentries = [{ key = 7, value = 1 }]\n")
    assert events(counted(path, "asks", maps=filled), "call") == [
        (*lookup, False, line("the lookup"), 1.0)
    ]


def test_bytes_of_the_packet_are_told_from_other_instructions(path):
    touched = [one for one in counted(path, "asks").taken if one.kind == "packet"]
    assert [(one.line.line, one.line.file, one.times) for one in touched] == [
        (line("a byte of the packet"), "planted.bpf.c", 1.0)
    ]


def test_a_function_of_the_kernel_is_counted_and_listed(path):
    name = "kfunc bpf_xdp_metadata_rx_timestamp"
    place = line("the kernel's function")
    assert events(counted(path, "stamps"), "call") == [(name, "", False, place, 1.0)]
    (call,) = read_code(path, "stamps", list_object(path)).calls
    assert (call.helper, call.line) == (name, place)


def test_code_without_loops_has_none():
    assert loops_of([]) == ((), {})
