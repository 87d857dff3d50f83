"""A user's frames sent to a function on the sockets of the veth lab."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from linerate.measure.generators.live_frames import (
    Stream,
    TrafficReport,
    pace_flags,
    run_traffic,
)
from linerate.measure.labs.veth import VethLab
from linerate.measure.trials.bench import Timing

if TYPE_CHECKING:
    from linerate.measure.datapaths.af_xdp.veth import Forwarder, SocketCounts


def send_frames_to(
    lab: VethLab, forwarder: Forwarder, plan: Path, stream: Stream, timing: Timing
) -> tuple[TrafficReport, SocketCounts]:
    """Send a user's frames, as they are, to sockets; what both ends counted, and the sockets.

    Parameters
    ----------
    lab, forwarder
        What they are sent to; it gets a mark when the counted time begins and when it ends.
    plan
        File with the frames and their order.
    stream, timing
        When they are sent, and how long.
    """
    threads = (*forwarder.napi_threads, *forwarder.threads)
    flags = [
        *lab.traffic_flags, "--frames", str(plan), *pace_flags(stream, timing),
        "--dut-threads", ",".join(map(str, threads)),
    ]  # fmt: skip
    report = run_traffic(lab.generator, flags, timing, forwarder.partner)
    begin, end = forwarder.read_counts(), forwarder.read_counts()
    return report, end - begin
