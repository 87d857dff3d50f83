"""Test runs of real pipelines: packets are the frames that were given, as they came."""

from functools import partial

import pytest

from linerate.errors import DeviceFailedError
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.test_run import LOADS, time_pipeline
from linerate.measure.objects.plan import frame_lines
from linerate.measure.objects.traffic.frames import frames_by_weight

from . import swx_programs as programs

pytestmark = pytest.mark.dpdk

NULL = PipelineSettings(port="net_null")
MARKED, OTHER = (bytes(12) + kind.to_bytes(2) + bytes(46) for kind in (0x0800, 0x0806))
LINES = ("order 0", "order 0", f"frame {MARKED.hex()}")


def silent(*_):
    """Show no bar."""


@pytest.fixture
def mixed():
    return frames_by_weight([(MARKED, 3), (OTHER, 1)])


def written(folder, lines):
    path = folder / "frames"
    path.write_text("".join(f"{line}\n" for line in lines))
    return ("--frames", str(path))


def test_packets_are_the_frames_in_their_order_however_the_program_leaves_them(tmp_path, mixed):
    """It overwrites what its table is asked about: a frame that came back would not be found."""
    program = programs.table(then="\tmov h.ethernet.ethertype 0x1234")
    flags = written(tmp_path, frame_lines(mixed))
    with run_pipeline(program, NULL, 1, flags) as runner:
        report = runner.trial(["--seconds", "0.1"])
        (seen,) = runner.ask("table kinds")["instances"]
    assert report.sent > 10_000
    assert seen["hits"] / (seen["hits"] + seen["misses"]) == pytest.approx(0.75, abs=0.001)


@pytest.mark.exclusive
def test_each_load_is_told_and_more_work_takes_longer(mixed, told_loads):
    short, long = (
        programs.pipeline("\n".join(["\txor h.ethernet.dst_addr 1"] * times)) for times in (1, 100)
    )
    short_ns, told = told_loads(partial(time_pipeline, short, mixed))
    long_ns, _ = told_loads(partial(time_pipeline, long, mixed))
    assert told == [*range(LOADS + 1)]
    assert max(short_ns) < min(long_ns)
    assert len(long_ns) <= LOADS


def test_a_program_that_dpdk_refuses_does_not_run(mixed):
    with pytest.raises(DeviceFailedError, match="kinds"):
        time_pipeline(programs.table(entries="match 0x0800 action nobody\n"), mixed, silent)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), "--frames"),
        (LINES[:2], "--frames"),
        (("order 0", LINES[2]), "--frames"),
        (("order 0", "order 7", LINES[2]), "--frames"),
        (("order 0", "order 0", "frame beef"), "not a frame"),
    ],
    ids=["nothing", "no frame", "no mix", "no such frame", "too short"],
)
def test_frames_that_cannot_be_used_are_refused(tmp_path, lines, said):
    with (
        pytest.raises(DeviceFailedError, match=said),
        run_pipeline(programs.registers(), NULL, 1, written(tmp_path, lines)),
    ):
        pass


def test_frames_are_of_packets_that_an_lcore_generates(tmp_path):
    ring = PipelineSettings(port="ring")
    flags = written(tmp_path, LINES)
    with (
        pytest.raises(DeviceFailedError, match="with --port null"),
        run_pipeline(programs.registers(), ring, 1, flags),
    ):
        pass
