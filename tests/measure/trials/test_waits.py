"""What a generator and a forwarder on one core lacked, told from the times that they had it."""

import pytest

from linerate.measure.datapaths.af_xdp.veth import foreign_wait_ns
from linerate.measure.generators.live_frames import TrafficReport

MS = 10**6


@pytest.mark.parametrize(
    ("generator_ms", "forwarder_ms", "idle_ms", "lacking_ms"),
    [
        (56, 202, 0, 42),  # as measured beside a real-time process that had 41 ms of the core
        (65, 233, 0, 0),
        (65, 229, 0, 0),  # a run that is counted by ticks
        (40, 120, 140, 0),  # a frame was lost: nobody wanted the core
    ],
)
def test_what_two_threads_that_hand_frames_to_and_fro_lack_others_had(
    generator_ms, forwarder_ms, idle_ms, lacking_ms
):
    report = TrafficReport(
        duration_ns=300 * MS, intended=1, sent=1, received=1, dropped={}, generator_idle_ns=(0,),
        generator_run_ns=(generator_ms * MS,), generator_wait_ns=(2 * MS,),
        core_idle_ns=(idle_ms * MS,), dut_wait_ns=(83 * MS,), dut_thread_ns=(forwarder_ms * MS,),
    )  # fmt: skip
    assert foreign_wait_ns(report, ()) == lacking_ms * MS
