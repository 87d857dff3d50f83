"""Where the time of programs of bpf/examples goes, on the frames and maps beside them."""

import subprocess

import pytest

from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.named import loads_of
from linerate.models.objects import answer_object
from linerate.models.objects.accounts.account import account
from linerate.models.objects.counted.estimate import estimate

from ...measure.objects.conftest import INCLUDE
from .counted.test_estimate import box_of
from .planted import asked, planted_box, times

MEASURED_NS = 150.0
COSTS = {"lpm_lookup": 45.0, "lru_hash_lookup": 30.0, "tail_call": 3.0, "atomic": 1.0}


@pytest.fixture(scope="module")
def explained(repository, tmp_path_factory):
    """Account for the time of an example, as if it took MEASURED_NS."""
    folder = tmp_path_factory.mktemp("examples")

    def run(name, entry=None, *, maps=True):
        source = repository / f"bpf/examples/{name}.bpf.c"
        path = folder / source.with_suffix(".o").name
        subprocess.run(
            ["clang", "-O2", "-g", "-target", "bpf", INCLUDE, f"-I{repository / 'bpf'}", "-c",
             source, "-o", path], check=True,
        )  # fmt: skip
        entry, listing = entry or source.name.partition(".")[0], list_object(path)
        beside = {kind: source.parent / f"{source.name.partition('.')[0]}.{kind}"
                  for kind in ("toml", "json")}  # fmt: skip
        settings = read_settings(
            listing, beside["toml"] if maps and beside["toml"].exists() else None
        )
        frames = loads_of(beside["json"] if beside["json"].exists() else 64)[0]
        (count,) = count_program(path, entry, listing, settings, [frames])
        answer = answer_object(times(MEASURED_NS), planted_box(), asked(queues=1))
        return account(
            read_code(path, entry, listing), estimate(count, box_of(**COSTS)), answer
        )  # fmt: skip

    return run


def of_kind(found, kind):
    return [part for part in found.parts if part.kind == kind]


@pytest.mark.parametrize(
    ("name", "entry"),
    [("counting/count_sources", None), ("filtering/firewall", None), ("forwarding/route_lpm", None),
     ("forwarding/stages", "parse"), ("filtering/dns_name", None), ("rewriting/nsh_push", None)],
)  # fmt: skip
def test_parts_add_up_to_the_measured_time(explained, name, entry):
    found = explained(name, entry)
    assert sum(part.ns for part in found.parts) == pytest.approx(MEASURED_NS)
    assert found.parts[-1].kind == "straight"
    assert all(part.ns >= 0.0 for part in found.parts)
    for part in of_kind(found, "call"):
        assert all(line.line.line for line in part.lines)


def test_the_loop_of_the_firewall_is_its_largest_part(explained):
    largest = explained("filtering/firewall").parts[0]
    assert (largest.kind, largest.times) == ("loop", 100.0)
    assert largest.lines[0].line.file == "firewall.bpf.c"


def test_a_lookup_in_an_empty_map_is_said_to_find_nothing(explained):
    empty, filled = (explained("forwarding/route_lpm", maps=maps) for maps in (False, True))
    for found, missed in ((empty, True), (filled, False)):
        (lookup,) = of_kind(found, "call")
        assert (lookup.map.name, lookup.missed) == ("routes", missed)
    assert "map_lookup_elem routes (lpm_trie" in str(empty)
    assert "finds nothing" in str(empty)
    assert "finds nothing" not in str(filled)


def test_packets_that_find_something_and_those_that_do_not_are_parts_of_their_own(explained):
    """One name of four that are asked for is in the list."""
    found = explained("filtering/dns_name")
    lookups = {part.missed: part.times for part in of_kind(found, "call")}
    assert lookups == {True: pytest.approx(0.75), False: pytest.approx(0.25)}
    (loop,) = of_kind(found, "loop")
    assert "turns a packet" in str(loop)


def test_programs_that_are_called_one_after_the_other_are_all_accounted_for(explained):
    found = explained("forwarding/stages", "parse")
    (jump,) = [part for part in of_kind(found, "call") if part.name.startswith("tail_call")]
    assert (jump.times, jump.missed) == (2.0, False)
    assert any(part.map and part.map.name == "classes" for part in of_kind(found, "call"))
