"""Notes on ways of packets that no calibration and no test run has."""

from dataclasses import replace

import pytest

import linerate as lr
from linerate.box import Cost, write_box
from linerate.face.fits import objects
from linerate.measure.objects.code.beyond_test import copies_packets, reads_ingress
from linerate.measure.system.describe import this_box
from linerate.programs.costs import YARDSTICK, base_cost_names

from .programs.way_sources import ENVIRONMENT, MAPS

NOT_CALIBRATED = "whose time is not calibrated"


@pytest.fixture
def maps(tmp_path):
    path = tmp_path / "maps.toml"
    path.write_text(MAPS + ENVIRONMENT)
    return path


@pytest.fixture
def box(tmp_path, monkeypatch):
    """Return a box on which all base costs are 50 ns, asked with few loads."""
    monkeypatch.setattr(objects, "RELOADS", 2)
    cost = Cost(value_ns=50.0, lower_ns=49.0, upper_ns=51.0)
    costs = dict.fromkeys([YARDSTICK, *base_cost_names()], cost)
    path = tmp_path / "box.toml"
    write_box(replace(this_box("veth"), costs=costs), path)
    return path


@pytest.mark.root
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("xdp_native to_cpu", ["packets may be redirected to another CPU"]),
        ("xdp_native to_all", ["packets are copied to all interfaces of a map"]),
        ("tc tc_pass", ["packets that pass are delivered or forwarded by the network stack"]),
        ("tc tc_route", []),
    ],
)
def test_answer_names_what_no_calibration_has(compiled, maps, box, way, says):
    datapath, entry = way.split()
    fits = lr.fits(
        compiled("ways"), entry=entry, maps=maps, traffic=64, box=box,
        datapath=datapath, queues=1, progress=False,
    )  # fmt: skip
    (answer,) = fits.answers
    assert answer.in_domain is (way not in ("tc tc_pass", "xdp_native to_cpu")), (
        "this box is of before stack and queues of other cores were calibrated"
    )
    assert answer.base_ns == pytest.approx(50.0)
    unknown = [note for note in fits.notes if NOT_CALIBRATED in note]
    assert [note.partition(",")[0] for note in unknown] == says


@pytest.mark.parametrize(
    ("entry", "copies", "reads"),
    [("to_all", True, False), ("by_map", False, False), ("tc_came_by", False, True),
     ("tc_route", False, False)],
)  # fmt: skip
def test_what_a_test_run_cannot_give_is_read_off_the_instructions(compiled, entry, copies, reads):
    path = compiled("ways")
    assert copies_packets(path, entry) is copies
    assert reads_ingress(path, entry) is reads


@pytest.mark.root
def test_a_program_at_tc_that_reads_where_packets_came_in_is_answered_with_a_word(
    compiled, maps, box
):
    fits = lr.fits(compiled("ways"), entry="tc_came_by", maps=maps, traffic=64, box=box,
                   datapath="tc", queues=1, progress=False)  # fmt: skip
    assert any("reads ingress_ifindex" in note for note in fits.notes)


@pytest.mark.root
@pytest.mark.parametrize(("entry", "says"), [("by_clock", True), ("notes_clock", False)])
def test_verdicts_that_depend_on_the_rate_are_named(compiled, maps, box, entry, says):
    fits = lr.fits(compiled("ways"), entry=entry, maps=maps, traffic=64, box=box, queues=1,
                   progress=False)  # fmt: skip
    assert {path.verdict for path in fits.answers[0].paths} == {"tx"}
    notes = [note for note in fits.notes if "by it packets may end in drop, too" in note]
    assert bool(notes) is says


@pytest.mark.root
@pytest.mark.parametrize(("entry", "says"), [("tells_user", True), ("by_map", False)])
def test_events_that_nobody_reads_are_named(compiled, maps, box, entry, says):
    fits = lr.fits(compiled("ways"), entry=entry, maps=maps, traffic=64, box=box, queues=1,
                   progress=False)  # fmt: skip
    notes = [note for note in fits.notes if note.startswith("nobody reads the events in events")]
    assert bool(notes) is says
