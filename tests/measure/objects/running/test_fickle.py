"""Programs that treat equal frames unlike, and one that is slow."""

import pytest

from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, _test, time_program
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.trials.bench import Timing

pytestmark = pytest.mark.root
TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)
SLOW_NS = 1000.0
"""The slow program takes longer on any machine: it stores and loads 8000 times."""


def shares(compiled, entry, flows=1):
    tested = UnderTest(path=compiled("fickle"), entry=entry, settings=NOTHING)
    times = time_program(tested, of_size(64, flows), lambda *_: None)
    assert sum(frame.share for frame in times.frames) == pytest.approx(1.0)
    return times.verdict_shares()


@pytest.mark.parametrize("flows", [1, 16])
def test_equal_frames_that_end_unlike_are_told_by_their_shares(compiled, flows):
    assert shares(compiled, "by_turns", flows) == pytest.approx({"drop": 0.5, "tx": 0.5}, abs=0.01)
    by_chance = shares(compiled, "by_chance", flows)
    assert by_chance == pytest.approx({"drop": 0.25, "tx": 0.75}, abs=0.06)


def test_what_a_program_does_after_many_packets_is_in_the_shares(compiled):
    """Its first thousand on a core pass; a test run has had far more by then."""
    assert shares(compiled, "at_last")["drop"] > 0.5


def test_the_lab_ends_packets_in_the_same_shares(compiled):
    with (
        open_object_lab("serial", 1, "xdp_native") as lab,
        plan_file(NOTHING, of_size(64)) as plan,
        attach_object(lab, "xdp_native", compiled("fickle"), "by_turns", plan) as program,
    ):
        report = send_frames(program, plan, TIMING)
    assert report.received / report.sent == pytest.approx(0.5, abs=0.01)


def test_a_slow_program_gets_fewer_rounds_and_no_fewer_loads(compiled):
    frames = of_size(64, 16)
    with plan_file(NOTHING, frames) as plan:
        rounds = {}
        for entry in ("by_turns", "slow"):
            tested = UnderTest(path=compiled("fickle"), entry=entry, settings=NOTHING)
            samples, _ = _test(tested, plan, 16)
            rounds[entry] = {len(each.ns) for each in samples.values()}
    assert all(len(each) == 1 for each in rounds.values())
    assert min(rounds["slow"]) >= 5
    assert min(rounds["by_turns"]) > 2 * max(rounds["slow"])
    times = time_program(UnderTest(path=compiled("fickle"), entry="slow", settings=NOTHING), frames,
                         lambda *_: None)  # fmt: skip
    assert len(times.program_ns) == 5
    assert min(times.program_ns) > SLOW_NS
