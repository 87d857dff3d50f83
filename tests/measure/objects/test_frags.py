"""Programs that can take frames of several buffers, on frames of one."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.frames import read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.trials.bench import Timing
from linerate.progress import telling

BORDER_PACKETS = 256
"""On their way when the counted time begins or ends, and counted by the other end."""


@pytest.mark.root
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_such_a_program_runs_on_both_hooks(compiled, datapath):
    path = compiled("frags")
    entry = choose_entry(list_object(path), datapath)
    with (
        open_object_lab("serial", 1, datapath) as lab,
        plan_file(NOTHING, of_size(1518)) as plan,
        attach_object(lab, datapath, path, entry, plan) as program,
    ):
        report = send_frames(program, plan, Timing(warm_up_seconds=0.0, seconds=0.05))
    assert report.sent > 500
    assert report.received == pytest.approx(report.sent, abs=BORDER_PACKETS)


@pytest.mark.root
def test_such_a_program_is_test_run(compiled):
    tested = UnderTest(path=compiled("frags"), entry="wide", settings=NOTHING)
    with telling(shown=False) as tell:
        (times,) = time_programs((tested,), of_size(1518), tell, loads=1)
    assert times.verdict_shares() == {"tx": 1.0}


def test_frames_of_several_buffers_are_refused_with_words(tmp_path):
    path = tmp_path / "frames.json"
    path.write_text('[{"hex": "' + "02" * 3000 + '"}]')
    with pytest.raises(BadInputError, match="frames of several buffers are not supported"):
        read_frames(path)
    with pytest.raises(BadInputError, match="frames of several buffers are not supported"):
        of_size(9000)
