"""A user's object in the veth lab, on a user's frames."""

import pytest

from linerate.errors import DeviceFailedError
from linerate.measure.objects.lab import attach_object, open_object_lab, packet_ns, send_frames
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.trials.bench import Timing

pytestmark = pytest.mark.root
TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)
BORDER_PACKETS = 256
"""On their way when the counted time begins or ends, and counted by the other end."""


@pytest.fixture(params=["xdp_native", "xdp_generic"])
def datapath(request):
    return request.param


def measured(datapath, path, entry, frames):
    with (
        open_object_lab("serial", 1, datapath) as lab,
        plan_file(NOTHING, frames) as plan,
        attach_object(lab, datapath, path, entry, plan) as program,
    ):
        return send_frames(program, plan, TIMING)


@pytest.mark.parametrize("entry", ["push", "pop", "cut"])
def test_every_packet_that_is_sent_back_is_counted(compiled, datapath, entry):
    """Each is changed, and refused as it came back: the next one comes whole again."""
    report = measured(datapath, compiled("resizer"), entry, of_size(64))
    assert report.sent > 1000
    assert report.received == pytest.approx(report.sent, abs=BORDER_PACKETS)
    assert packet_ns(report) > 0


def test_frames_come_as_they_are_in_the_order_of_the_mix(compiled, datapath):
    """Two of three are longer than 60 bytes, and passed on: only these never come back."""
    short, long = of_size(64).packets[0], of_size(1000).packets[0]
    frames = Frames(packets=(short, long), order=(0, 1, 1), packets_total=3)
    report = measured(datapath, compiled("bouncer"), "bounce", frames)
    assert report.received == pytest.approx(report.sent / 3, abs=BORDER_PACKETS)


@pytest.mark.parametrize(("places", "stretches"), [(3, 40), (50_001, 0)])
def test_what_is_timed_together_is_whole_rounds_of_the_mix(compiled, places, stretches):
    """A tenth of a second has many rounds of three, and less than forty of fifty thousand."""
    short, long = of_size(64).packets[0], of_size(1000).packets[0]
    order = tuple(place % 3 // 2 for place in range(places))
    frames = Frames(packets=(short, long), order=order, packets_total=places)
    report = measured("xdp_native", compiled("bouncer"), "bounce", frames)
    assert report.sent > 10_000
    assert [len(core) for core in report.stretches_ns] == [stretches]


def test_what_cannot_be_loaded_fails_as_the_device_under_test(compiled, datapath):
    with pytest.raises(DeviceFailedError, match="outside of the packet"):
        measured(datapath, compiled("mixed"), "bad", of_size(64))
