"""A program's time from what was counted, at planted costs."""

from dataclasses import replace

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.calibrating.operations import _KINDS, TIMES, _settings
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.models.objects.estimate import AROUND, estimate
from linerate.programs.count import CallCount, PathCount, ProgramCount

from .planted import cost, planted_box

COSTS = {"instruction": 0.5, "hash_lookup": 30.0, "hash_lookup_again": 20.0, "packet_read": 6.0,
         "clock": 40.0, "division": 5.0, "array_lookup": 1.0}  # fmt: skip
LOOKUP = CallCount(helper="map_lookup_elem", map_name="flows", map_type="hash", times=1)


def box_of(**changes):
    costs = {f"operation.{name}": cost(ns) for name, ns in (COSTS | changes).items() if ns}
    return replace(planted_box(), costs=planted_box().costs | costs)


def counted(*calls, kinds=(), instructions=100):
    path = PathCount(frame_bytes=64, share=1.0, verdict="tx", instructions=instructions, turns=0,
                     kinds=kinds, calls=calls, programs=())  # fmt: skip
    return ProgramCount(program="p", shortest=1, longest=200, loops=0, paths=(path,), followed=1.0,
                        maps=(), notes=())  # fmt: skip


def test_instructions_calls_and_longer_instructions_add_up():
    """Of a lookup the instructions around it are taken off: they are counted themselves."""
    found = estimate(counted(LOOKUP, kinds=(("division", 2),)), box_of())
    lookup_ns = 30.0 - AROUND["hash_lookup"] * 0.5
    assert found.program_ns == pytest.approx(50.0 + lookup_ns + 10.0)
    assert found.path_ns == (pytest.approx(found.program_ns),)
    assert found.notes == ()


def test_one_key_for_all_packets_is_looked_up_faster():
    found = estimate(counted(replace(LOOKUP, one_key=True)), box_of())
    assert found.program_ns == pytest.approx(50.0 + 20.0)


def test_paths_count_by_their_share():
    short, long = counted(instructions=10).paths[0], counted(LOOKUP).paths[0]
    both = replace(counted(), paths=(replace(short, share=0.75), replace(long, share=0.25)))
    found = estimate(both, box_of())
    assert found.program_ns == pytest.approx(0.75 * found.path_ns[0] + 0.25 * found.path_ns[1])


def test_what_was_not_calibrated_is_taken_as_something_else_and_that_is_said():
    route = CallCount(helper="fib_lookup", map_name="", map_type="", times=1)
    assert estimate(counted(route), box_of()).notes == (
        "what fib_lookup takes was not calibrated: taken as hash_lookup",
    )
    clock = CallCount(helper="ktime_get_ns", map_name="", map_type="", times=1)
    assert estimate(counted(clock), box_of()).notes == ()
    assert estimate(counted(clock), box_of(clock=None)).notes == (
        "what ktime_get_ns takes was not calibrated: taken as hash_lookup",
    )


def test_without_a_cost_of_instructions_one_is_a_part_of_a_packet_read():
    found = estimate(counted(), box_of(instruction=None))
    assert found.program_ns == pytest.approx(100 * 6.0 / AROUND["packet_read"])


def test_a_box_without_operations_is_refused():
    with pytest.raises(BadInputError, match="it has no costs of operations"):
        estimate(counted(), planted_box())


def test_instructions_around_an_operation_are_those_of_its_program():
    """Counted anew from the object; those of drawing a key are taken off with its time."""
    path = built.program_object("operations")
    listing, frames = list_object(path), of_size(64)
    counts = {
        kind: count_program(path, "operations", listing, _settings(listing, kind), [frames])[0]
        for kind in (None, *_KINDS)
    }
    each = {
        kind: (count.instructions - counts[None].instructions) / TIMES
        for kind, count in counts.items()
    }
    for name, around in AROUND.items():
        drawn = each["key_only"] if name.endswith("_lookup") else 0.0
        assert each[name] - drawn == pytest.approx(around, abs=0.1)
