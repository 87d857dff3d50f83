"""In what order programs are loaded for several traffics."""

from pathlib import Path

import pytest

from linerate.measure.objects import test_run as runs
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_on_each, time_program
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.units import packet_bytes


def silent(*_):
    """Show no progress."""


def test_every_program_is_loaded_for_each_traffic_in_turn_and_every_other_turn_goes_backwards(
    monkeypatch,
):
    taken, speeds = [], []
    sizes = {64: of_size(64), 512: of_size(512)}

    def load(tested, plan, each):
        frame = next(one for one in plan.read_text().splitlines() if one.startswith("frame"))
        taken.append((tested.entry, len(frame.split()[1]) // 2))
        line = runs.FrameVerdict(frame=0, verdict=1, packet_bytes=60)
        return runs._Load(program_ns=50.0 + len(taken), yardstick_ns=90.0, empty_ns=72.0,
                          together=(), by_frame_ns=(), verdicts=(line,),
                          others_ratio=0.0)  # fmt: skip

    monkeypatch.setattr(runs, "_load", load)
    monkeypatch.setattr(runs, "time_once", lambda _: speeds.append(90.0) or 90.0)
    programs = [UnderTest(path=Path("a.bpf.o"), entry=name, settings=NOTHING) for name in "ab"]
    of_64, of_512 = time_on_each(programs, list(sizes.values()), silent, 3)
    turn = [(name, packet_bytes(size)) for size in sizes for name in "ab"]
    assert taken == turn + turn[::-1] + turn
    assert len(speeds) == 3
    assert [times.program for times in (*of_64, *of_512)] == ["a", "b", "a", "b"]
    assert of_64[0].program_ns == (51.0, 58.0, 59.0)
    assert [times.frames[0].frame_bytes for times in (of_64[1], of_512[1])] == [64, 512]


@pytest.mark.root
def test_a_frame_that_is_all_of_the_traffic_has_the_time_of_the_traffic():
    tested = UnderTest(path=built.program_object("vlan"), entry="vlan", settings=NOTHING)
    times = time_program(tested, of_size(64), silent)
    (frame,) = times.frames
    assert min(times.program_ns) <= frame.program_ns <= max(times.program_ns)
