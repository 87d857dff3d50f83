"""Where a program's time goes, by what its packets take: planted counts at planted costs."""

from dataclasses import replace

import pytest

from linerate.models.objects import answer_object
from linerate.models.objects.accounts.account import PARTS_SHOWN, account
from linerate.models.objects.counted.estimate import estimate
from linerate.programs.code import HelperCall, ProgramCode
from linerate.programs.count import CallCount, MapUse, PathCount, ProgramCount
from linerate.programs.taken import CodeLine, LoopPlace, Taken

from .counted.test_estimate import box_of
from .planted import asked, planted_box, times

TEXT = "flow = lookup();"
LINE = CodeLine(line=7, text=TEXT, file="planted.bpf.c")
HEADER = CodeLine(line=3, text="if (ip + 1 > end)", file="headers.h")
LOOP = LoopPlace(function="planted", place=9,
                 line=CodeLine(line=20, text="for (;;)", file="planted.bpf.c"))  # fmt: skip
INNER = replace(LOOP, place=12, line=replace(LOOP.line, line=22), outer=LOOP)
FLOWS = MapUse(name="flows", type="hash", key_bytes=4, value_bytes=8, entries_max=64, entries=64)
PLACE = HelperCall(helper="map_lookup_elem", map_name="flows", map_type="hash", entries_max=64,
                   line=7, text=TEXT)  # fmt: skip
OTHER = HelperCall(helper="ktime_get_ns", line=9, text="now = clock();")
NS, LOOKUP_NS = 0.5, 30.0 - 10.1 * 0.5
"""Of an instruction and a lookup on the planted box; 10.1 instructions around it are not its own.
"""


def one(kind, times, line=LINE, loop=None, **changes):
    return Taken(kind=kind, line=line, loop=loop, times=times, **changes)


def lookup(times=1.0, loop=None, missed=False):
    return one("call", times, loop=loop, name="map_lookup_elem", on="flows", missed=missed)


TAKEN = (
    one("instruction", 40.0), one("packet", 6.0, HEADER), lookup(0.75), lookup(0.25, missed=True),
    one("turn", 12.0, loop=LOOP), one("instruction", 54.0, loop=LOOP),
    one("packet", 6.0, loop=LOOP), lookup(2.0, LOOP), one("turn", 24.0, loop=INNER),
    one("instruction", 48.0, loop=INNER), one("longer", 3.0, name="division"),
)  # fmt: skip


def estimated(taken=TAKEN, **costs):
    """Estimate a program with these on its one path."""
    plain = sum(each.times for each in taken if each.kind in ("instruction", "packet"))
    longer = {each.name: each.times for each in taken if each.kind == "longer"}
    lookups = {
        missed: sum(each.times for each in taken if each.kind == "call" and each.missed == missed)
        for missed in (False, True)
    }
    calls = tuple(
        CallCount(helper="map_lookup_elem", map_name="flows", map_type="hash", times=times,
                  missed=missed)
        for missed, times in lookups.items() if times
    )  # fmt: skip
    path = PathCount(frame_bytes=64, share=1.0, verdict="tx", instructions=plain, turns=0,
                     kinds=tuple(longer.items()), calls=calls, programs=())  # fmt: skip
    count = ProgramCount(program="p", shortest=1, longest=200, loops=1, paths=(path,), notes=(),
                         followed=1.0, maps=(FLOWS,), taken=taken)  # fmt: skip
    return estimate(count, box_of(**costs))


def accounted(measured_ns=320.0, taken=TAKEN, code=(PLACE, OTHER), together_ns=None, costs=None,
              **changes):  # fmt: skip
    answer = answer_object(times(measured_ns), planted_box(), asked(queues=1))
    if together_ns is not None:
        answer = replace(answer, program_ns=together_ns)
    listing = ProgramCode(program="planted", instructions=40, loops=1, calls=code)
    return account(listing, estimated(taken, **(costs or {})), answer, **changes)


def named(found):
    return {(part.name, part.missed): part for part in found.parts}


def test_parts_add_up_to_what_was_measured_and_straight_code_comes_last():
    found = accounted()
    assert found.scale == pytest.approx(320.0 / estimated().program_ns)
    assert sum(part.ns for part in found.parts) == pytest.approx(320.0)
    costs = [part.ns for part in found.parts[:-1]]
    assert costs == sorted(costs, reverse=True)
    assert found.parts[-1].kind == "straight"
    for part in found.parts:
        assert sum(line.ns for line in part.lines) == pytest.approx(part.ns)


def test_each_thing_is_priced_at_what_it_costs_where_nothing_was_run():
    found = accounted(measured=False)
    parts = named(found)
    assert parts["straight code", False].ns == pytest.approx(40.0 * NS)
    assert parts["reads and writes of the packet", False].ns == pytest.approx(6.0 * NS)
    assert parts["loop at line 20", False].ns == pytest.approx(60.0 * NS)
    assert parts["map_lookup_elem flows", False].ns == pytest.approx(2.75 * LOOKUP_NS)
    assert parts["map_lookup_elem flows", True].ns == pytest.approx(0.25 * LOOKUP_NS)
    assert parts["division", False].ns == pytest.approx(3.0 * 5.0)
    assert sum(part.ns for part in found.parts) == pytest.approx(estimated().program_ns)
    assert "as counted, for it was not run: not scaled" in str(found)
    assert found.scale == 1.0


def test_a_loop_has_its_turns_and_apart_from_them_what_is_called_in_it():
    loop = named(accounted(measured=False))["loop at line 20", False]
    assert (loop.times, loop.instructions) == (12.0, 60.0)
    assert loop.inside_ns == pytest.approx(2.0 * LOOKUP_NS + 48.0 * NS)
    assert (
        "30 ns  loop at line 20: 12 turns a packet, 2.5 ns a turn, 73.9 ns more in its calls"
        in (str(loop))
    )


def test_a_loop_in_a_loop_is_told_apart():
    inner = named(accounted(measured=False))["loop at line 22", False]
    assert (inner.times, inner.ns, inner.inside_ns) == (24.0, pytest.approx(24.0), 0.0)


def test_a_part_less_brings_the_rate_of_a_packet_that_takes_so_much_less():
    found = accounted()
    loop = named(found)["loop at line 20", False]
    left_ns = 40.64 + 320.0 - loop.ns - loop.inside_ns
    assert loop.without_mpps == pytest.approx(1e3 / left_ns)


def test_a_lookup_that_finds_nothing_is_named_apart_with_its_map():
    text = str(accounted())
    assert "map_lookup_elem flows (hash, 64) x 0.25, finds nothing, priced as if it did" in text
    assert f"line 7: {TEXT}" in text
    assert "headers.h line 3: if (ip + 1 > end)" in text


def test_a_lookup_that_finds_nothing_has_its_own_price_where_that_was_calibrated():
    found = accounted(measured=False, costs={"hash_miss": 12.0})
    missed = named(found)["map_lookup_elem flows", True]
    assert missed.ns == pytest.approx(0.25 * 12.0)
    assert "flows (hash, 64) x 0.25, finds nothing; without" in str(missed)


def test_what_cores_do_to_each_other_is_a_part_and_does_not_scale_the_others():
    found = accounted(300.0, together_ns=450.0)
    shared = next(part for part in found.parts if part.kind == "shared")
    assert found.scale == pytest.approx(300.0 / estimated().program_ns)
    assert shared.ns == pytest.approx(150.0)
    assert sum(part.ns for part in found.parts) == pytest.approx(450.0)
    assert "for 300 ns on one core alone" in str(found)


def test_the_text_has_ten_parts_at_most_and_sums_the_others():
    many = tuple(one("longer", 1.0, name=f"kind {place}") for place in range(30))
    found = accounted(taken=(one("instruction", 40.0), *many))
    lines = str(found).splitlines()
    assert len(lines) == 1 + PARTS_SHOWN + 1
    assert "22 more parts together" in lines[PARTS_SHOWN - 1]
    assert "straight code: 40 instructions" in lines[PARTS_SHOWN]
    assert len(found.parts) == 31


def test_parts_that_take_next_to_nothing_share_a_line():
    rare = one("call", 1e-4, name="map_lookup_elem", on="flows")
    lines = str(
        accounted(taken=(one("instruction", 40.0), one("longer", 3.0, name="division"), rare))
    )
    assert "  less than 0.05 ns each: map_lookup_elem flows" in lines.splitlines()


def test_calls_that_no_packet_comes_to_are_named_and_cost_nothing():
    found = accounted()
    assert found.not_taken == (OTHER,)
    assert "not on the way of these packets: ktime_get_ns in line 9" in str(found)


def test_the_same_call_of_another_line_is_not_taken():
    elsewhere = replace(PLACE, line=30, text="again = lookup();")
    assert accounted(code=(PLACE, elsewhere)).not_taken == (elsewhere,)


def test_a_count_that_is_far_off_is_called_rough():
    near, far = accounted(estimated().program_ns), accounted(6000.0)
    assert "rough" not in str(near)
    assert "parts are rough" in str(far)
