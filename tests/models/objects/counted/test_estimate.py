"""A program's time from what was counted, at planted costs."""

from dataclasses import replace

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.calibrating.around import priced
from linerate.measure.objects.calibrating.operations import _KINDS, TIMES, _settings
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.models.objects.counted.estimate import AROUND_BEFORE, estimate
from linerate.programs.count import CallCount, MapUse, PathCount, ProgramCount

from ..planted import cost, planted_box

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
    box = box_of()
    box = replace(box, costs=box.costs | {"around.hash_lookup": cost(4.0)})
    found = estimate(counted(LOOKUP, kinds=(("division", 2),)), box)
    lookup_ns = 30.0 - 4.0
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
    assert estimate(counted(route), box_of(fib_lookup=60.0)).notes == ()
    clock = CallCount(helper="ktime_get_ns", map_name="", map_type="", times=1)
    assert estimate(counted(clock), box_of()).notes == ()
    assert estimate(counted(clock), box_of(clock=None)).notes == (
        "what ktime_get_ns takes was not calibrated: taken as hash_lookup",
    )


@pytest.mark.parametrize(
    ("helper", "calibrated", "each_ns"),
    [("skb_vlan_push", {"skb_vlan": 12.0}, 6.0), ("spin_unlock", {"spin_lock": 8.0}, 4.0),
     ("skb_load_bytes", {"skb_load_bytes": 7.0}, 7.0)],
)  # fmt: skip
def test_half_of_what_comes_and_goes_is_one_call_of_it(helper, calibrated, each_ns):
    call = CallCount(helper=helper, map_name="", map_type="", times=1)
    found = estimate(counted(call), box_of(**calibrated))
    assert found.program_ns == pytest.approx(50.0 + each_ns)
    assert not found.notes


def test_a_lookup_that_finds_nothing_has_its_own_cost_where_it_was_calibrated():
    """In an empty table the processor foresees the way of each."""
    misses, box = replace(LOOKUP, missed=True), box_of(hash_miss=12.0, hash_miss_again=9.0)
    empty = MapUse(name="flows", type="hash", key_bytes=4, value_bytes=8, entries_max=8, entries=0)
    filled = replace(empty, entries=8)
    assert estimate(counted(misses), box_of()).program_ns == pytest.approx(
        estimate(counted(LOOKUP), box_of()).program_ns
    )
    for table, ns in ((filled, 12.0), (empty, 9.0)):
        found = estimate(replace(counted(misses), maps=(table,)), box)
        assert found.program_ns == pytest.approx(50.0 + ns)
    assert "map_lookup_elem flows (finds nothing) 9 ns" in str(found)
    assert estimate(replace(counted(LOOKUP), maps=(empty,)), box).program_ns == pytest.approx(
        estimate(counted(LOOKUP), box_of()).program_ns
    )


def test_what_a_box_does_not_know_is_taken_as_what_is_nearest_there():
    copied = CallCount(helper="xdp_load_bytes", map_name="", map_type="", times=1)
    assert estimate(counted(copied), box_of(redirect_map=2.0)).notes == (
        "what xdp_load_bytes takes was not calibrated: taken as redirect_map",
    )
    table = CallCount(helper="map_lookup_elem", map_name="t", map_type="percpu_hash", times=1)
    assert estimate(counted(table), box_of()).notes == (
        "what map_lookup_elem t takes was not calibrated: taken as hash_lookup",
    )


def test_without_a_cost_of_instructions_one_is_a_part_of_a_packet_read():
    found = estimate(counted(), box_of(instruction=None))
    assert found.program_ns == pytest.approx(100 * 6.0 / AROUND_BEFORE["packet_read"])


def test_a_box_without_operations_is_refused():
    with pytest.raises(BadInputError, match="it has no costs of operations"):
        estimate(counted(), planted_box())


def test_a_box_that_does_not_say_them_has_the_instructions_that_were_counted_before():
    found = estimate(counted(LOOKUP), box_of())
    assert found.program_ns == pytest.approx(50.0 + 30.0 - AROUND_BEFORE["hash_lookup"] * 0.5)


def test_the_program_that_was_calibrated_is_estimated_at_what_it_took_whatever_compiled_it():
    """So many calls, at the planted cost of each, and what drawing a key takes before a lookup."""
    path = built.program_object("operations")
    listing, frames = list_object(path), of_size(64)
    calls = [kind for kind in _KINDS if kind not in ("key_only", "packet_read", "packet_write")]
    box = box_of(**dict.fromkeys(calls, 30.0))
    box = replace(box, costs=box.costs | priced(box.costs["operation.instruction"]))

    def program_ns(kind):
        settings = _settings(listing, kind)
        (count,) = count_program(path, "operations", listing, settings, [frames])
        return estimate(count, box).program_ns

    none_ns, drawn_ns = program_ns(None), program_ns("key_only")
    for kind in calls:
        before_ns = drawn_ns if kind.endswith("_lookup") else none_ns
        assert program_ns(kind) - before_ns == pytest.approx(TIMES * 30.0), kind
