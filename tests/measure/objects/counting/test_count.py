"""Instructions, calls and verdicts of programs whose paths can be counted by hand."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.traffic.frames import frames_in_order
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built

from .assembled import assemble, counted

STRAIGHT = """
    r0 = 1
    r0 += 1
    exit
"""
TWO_WAYS = """
    r2 = *(u32 *)(r1 + 0)
    r3 = *(u32 *)(r1 + 4)
    r4 = r2
    r4 += 100
    r0 = 1
    if r4 > r3 goto +3
    r0 = 3
    r5 = *(u8 *)(r2 + 12)
    if r5 != 8 goto +0
    exit
"""
"""5 + 2 instructions of a short packet, 5 + 5 of a longer one."""
LOOP = """
    r1 = 0
    r0 = 2
    r1 += 1
    if r1 < 10 goto -2
    exit
"""
CALLS = """
    r6 = r1
    r1 = 7
    call helped
    r0 += 2
    exit
"""
HELPED = """
    r0 = r1
    r0 -= 8
    exit
"""
CLOCK = """
    call 5
    r1 = r0
    r0 = 1
    if r1 s> 0 goto +1
    r0 = 2
    exit
"""
CHANCE = """
    call 7
    r0 &= 63
    r1 = r0
    r0 = 2
    if r1 != 0 goto +1
    r0 = 1
    exit
"""
ENDLESS = """
    r0 = 1
    goto -1
    exit
"""


def shares(count):
    return {(path.verdict, path.instructions): path.share for path in count.paths}


def test_a_straight_program_takes_all_its_instructions(tmp_path):
    count = counted(assemble(tmp_path / "it.o", it=STRAIGHT), "it")
    assert (count.shortest, count.instructions, count.longest, count.loops) == (3, 3, 3, 0)
    assert shares(count) == {("pass", 3): 1.0}


def test_the_length_of_a_frame_decides_the_way_that_it_takes(tmp_path):
    path = assemble(tmp_path / "it.o", it=TWO_WAYS)
    assert shares(counted(path, "it", of_size(64))) == {("drop", 7): 1.0}
    assert shares(counted(path, "it", of_size(512))) == {("tx", 10): 1.0}
    count = counted(path, "it")
    assert (count.shortest, count.longest) == (7, 10)


def test_frames_of_a_traffic_count_by_their_weights(tmp_path):
    short, long = of_size(64).packets[0], of_size(512).packets[0]
    frames = frames_in_order([short, long, short, short], 4)
    count = counted(assemble(tmp_path / "it.o", it=TWO_WAYS), "it", frames)
    assert shares(count) == {("drop", 7): 0.75, ("tx", 10): 0.25}
    assert count.instructions == 0.75 * 7 + 0.25 * 10


def many(short, long):
    """Frames of which each is another one."""
    sizes = [1200] * long + [64] * short
    return [of_size(size).packets[0][:-2] + n.to_bytes(2) for n, size in enumerate(sizes)]


def test_of_many_frames_those_are_counted_that_stand_for_all_sizes(tmp_path):
    frames = frames_in_order(many(short=30, long=10), 40)
    count = counted(assemble(tmp_path / "it.o", it=TWO_WAYS), "it", frames)
    assert sum(path.share for path in count.paths if path.verdict == "drop") == 0.75
    assert sum(path.share for path in count.paths if path.verdict == "tx") == 0.25
    assert "8 of 40 frames were counted, evenly over their sizes" in count.notes


def test_all_frames_come_before_some_are_counted(compiled):
    """One in forty opens the way for all: what is counted is what comes later."""
    frames = frames_in_order(many(short=39, long=1), 40)
    count = counted(compiled("opening"), "open", frames)
    assert {path.verdict for path in count.paths} == {"tx"}
    assert not any("came first" in note for note in count.notes)


def test_where_warming_up_leaves_too_little_those_that_are_counted_come_first(tmp_path):
    """Once for each of the 40 frames, and again for eight of them, would be too much."""
    frames, long = frames_in_order(many(short=30, long=10), 40), LOOP.replace("10", "1500")
    count = counted(assemble(tmp_path / "it.o", it=long), "it", frames)
    assert count.instructions == 2 + 2 * 1500 + 1
    assert any(note.startswith("8 of 40 frames came first, ") for note in count.notes)


def test_a_loop_counts_its_turns_and_the_longest_path_one_of_them(tmp_path):
    count = counted(assemble(tmp_path / "it.o", it=LOOP), "it")
    assert count.instructions == 2 + 2 * 10 + 1
    assert (count.turns, count.loops) == (9, 1)
    assert count.shortest == count.longest == 5


def test_a_function_of_the_program_is_followed_and_its_result_comes_back(tmp_path):
    count = counted(assemble(tmp_path / "it.o", it=CALLS, helped=HELPED), "it")
    assert shares(count) == {("drop", 8): 1.0}
    assert (count.shortest, count.longest) == (8, 8)
    assert count.kinds == {"function_call": 1.0}


def test_of_a_condition_on_the_clock_each_way_is_half(tmp_path):
    count = counted(assemble(tmp_path / "it.o", it=CLOCK), "it")
    assert shares(count) == {("drop", 5): 0.5, ("pass", 6): 0.5}
    assert [(call.helper, call.times) for call in count.calls] == [("ktime_get_ns", 1.0)]


def test_of_a_random_number_each_is_as_likely(tmp_path):
    count = counted(assemble(tmp_path / "it.o", it=CHANCE), "it")
    assert shares(count) == {("pass", 6): 63 / 64, ("drop", 7): 1 / 64}


def test_a_program_without_an_end_is_refused_with_words(tmp_path):
    with pytest.raises(BadInputError, match="it cannot be counted: more than 60000 instructions"):
        counted(assemble(tmp_path / "it.o", it=ENDLESS), "it")


def test_a_table_that_the_program_fills_is_warm_when_it_is_counted(compiled):
    """The first packet of a source writes an entry; the others find it."""
    count = counted(compiled("counting"), "remember")
    assert [(call.helper, call.map_name) for call in count.calls] == [("map_lookup_elem", "seen")]
    assert {path.verdict for path in count.paths} == {"pass"}


def test_bytes_are_copied_out_of_the_packet_and_into_it(compiled):
    """Beyond its end neither is done."""
    assert {path.verdict for path in counted(compiled("copying"), "copy").paths} == {"tx"}


def test_a_counter_goes_on_from_packet_to_packet():
    """The first packet is sampled, the second is not; the map is called packets."""
    count = counted(built.program_object("sampler"), "sampler")
    assert [call.helper for call in count.calls] == ["map_lookup_elem"]


def test_what_a_map_holds_decides_as_in_the_kernel(compiled, tmp_path):
    path, maps = compiled("looked_up"), tmp_path / "maps.toml"
    assert shares(counted(path, "look")).keys() == {("drop", 11)}
    maps.write_text("[maps.known]\nentries = [{key = 5, value = 1}]\n")
    assert [p.verdict for p in counted(path, "look", maps=maps).paths] == ["drop"]
    assert [p.verdict for p in counted(path, "look", maps=maps, assigned=["wanted=5"]).paths] == [
        "tx"
    ]


def test_tail_calls_are_followed_where_their_table_is_filled(compiled):
    count = counted(compiled("chain"), "parse")
    (path,) = count.paths
    assert (path.verdict, path.programs) == ("drop", ("drop",))


def test_a_callback_counts_as_often_as_it_is_called(compiled):
    count = counted(compiled("calling"), "outer")
    called = {call.helper: call.times for call in count.calls}
    assert called == {"loop": 1.0, "get_prandom_u32": 5.0, "ktime_get_ns": 1.0}
    assert count.kinds["loop_turn"] == 5


def test_an_empty_slot_of_a_table_of_programs_is_said(compiled):
    count = counted(compiled("router"), "route")
    assert count.no_program == ("slot 0 of programs",)
    assert not counted(compiled("chain"), "parse").no_program


def test_maps_are_named_with_their_type_and_sizes(compiled):
    (used,) = counted(compiled("looked_up"), "look").maps
    assert (used.name, used.type, used.key_bytes, used.value_bytes) == ("known", "hash", 4, 8)
    assert (used.entries_max, used.entries) == (8, 0)


def missed(count):
    return {call.map_name for call in count.calls if call.missed}


def test_a_map_is_missed_only_by_packets_that_find_nothing_there(compiled, tmp_path):
    path, maps = compiled("looked_up"), tmp_path / "maps.toml"
    assert missed(counted(path, "look")) == {"known"}
    maps.write_text("[maps.known]\nentries = [{key = 5, value = 1}]\n")
    assert missed(counted(path, "look", maps=maps)) == {"known"}
    assert not missed(counted(path, "look", maps=maps, assigned=["wanted=5"]))


def test_a_table_that_the_packets_fill_is_not_missed(compiled):
    assert not missed(counted(compiled("counting"), "remember"))
