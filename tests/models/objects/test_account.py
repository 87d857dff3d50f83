"""Where a program's time goes, by what its packets take: planted costs, and programs of ours."""

import subprocess

import pytest

from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.models.objects import answer_object
from linerate.models.objects.accounts.account import account
from linerate.models.objects.estimate import estimate
from linerate.programs.code import HelperCall, ProgramCode

from ...measure.objects.conftest import INCLUDE
from .planted import asked, planted_box, times
from .test_estimate import LOOKUP, box_of, counted

PLACE = HelperCall(helper="map_lookup_elem", map_name="flows", map_type="hash", entries_max=64,
                   line=7, text="flow = lookup();")  # fmt: skip
OTHER = HelperCall(helper="ktime_get_ns", line=9, text="now = clock();")


def accounted(measured_ns, *calls, code=(PLACE, OTHER), **changes):
    listing = ProgramCode(program="planted", instructions=40, loops=0, calls=code)
    answer = answer_object(times(measured_ns), planted_box(), asked(queues=1))
    return account(listing, estimate(counted(*calls, **changes), box_of()), answer)


def test_parts_are_scaled_to_what_was_measured_and_the_most_expensive_comes_first():
    found = accounted(160.0, LOOKUP, instructions=100)
    assert found.scale == pytest.approx(160.0 / found.counted_ns)
    assert sum(part.ns for part in found.parts) == pytest.approx(160.0)
    assert [part.ns for part in found.parts] == sorted((p.ns for p in found.parts), reverse=True)
    lookup = next(part for part in found.parts if "map_lookup_elem" in part.name)
    assert lookup.calls == (PLACE,)
    rest_ns = 40.64 + 160.0 - lookup.ns
    assert lookup.without_mpps == pytest.approx(min(1e3 / rest_ns, 14.881), rel=1e-3)
    assert "(hash, 64)" in str(lookup)
    assert "line 7: flow = lookup();" in str(found)


def test_calls_that_no_packet_comes_to_are_named_and_cost_nothing():
    found = accounted(160.0, LOOKUP)
    assert found.not_taken == (OTHER,)
    assert "not on the way of these packets: ktime_get_ns in line 9" in str(found)


def test_a_count_that_is_far_off_is_called_rough():
    near, far = accounted(60.0, LOOKUP), accounted(600.0, LOOKUP)
    assert "rough" not in str(near)
    assert "parts are rough" in str(far)


def test_a_program_that_was_not_run_is_accounted_for_as_counted():
    plain = estimate(counted(LOOKUP), box_of()).program_ns
    found = accounted(plain, LOOKUP)
    assert found.scale == pytest.approx(1.0)
    assert found.to_dict()["scale"] == pytest.approx(1.0)


def test_turns_of_a_loop_and_what_is_in_them_are_counted(repository, tmp_path):
    """The firewall of bpf/examples walks its 100 rules for each of these packets."""
    folder = repository / "bpf/examples"
    path = tmp_path / "firewall.bpf.o"
    subprocess.run(["clang", "-O2", "-g", "-target", "bpf", INCLUDE, f"-I{folder.parent}", "-c",
                    folder / "filtering/firewall.bpf.c", "-o", path], check=True)  # fmt: skip
    listing = list_object(path)
    settings = read_settings(listing, folder / "filtering/firewall.toml")
    (count,) = count_program(path, "firewall", listing, settings, [of_size(64)])
    answer = answer_object(times(150.0), planted_box(), asked(queues=1))
    found = account(read_code(path, "firewall", listing), estimate(count, box_of()), answer)
    assert found.turns == pytest.approx(100, abs=1)
    assert found.parts[0].name == "instruction"
    assert found.parts[0].times > 1000
    assert "100 turns of loops" in str(found)
