"""What AF_XDP costs by itself on this machine: by verdict, frame size and queues.

Measured with functions that do nothing but give their verdict: receiving by a copying socket of
the native hook, waking up, and sending or giving the frame back. Device, thread and generator take
turns on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path

from linerate.cells import Load
from linerate.measure.datapaths.af_xdp.forwarder import run_forwarder
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.datapaths.af_xdp.veth import Forwarder
from linerate.measure.functions.lab import send_frames_to
from linerate.measure.generators.live_frames import Stream, TrafficReport
from linerate.measure.labs.veth import VethLab, open_veth_lab
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.programs.costs import FRAME_BYTES, SOCKETS, VERDICTS, cost_name
from linerate.units import FRAME_BYTES_MIN


def measure_sockets(
    queues: int, timing: Timing, unstalled_ns: Callable[[Callable[[], TrafficReport]], float]
) -> dict[str, float]:
    """Measure all verdicts and sizes, ns a packet by name.

    Parameters
    ----------
    queues
        Each with a socket and a thread.
    timing
        How long frames are sent at a time.
    unstalled_ns
        Takes the time of a packet, of sending until the host did not stall.
    """
    flood = Load(frame_mix=((1, FRAME_BYTES_MIN),), arrivals="flood", offered_mpps=inf)
    found = {}
    for verdict in VERDICTS[SOCKETS]:
        function: list[str | Path] = ["--function", built.function("verdicts"), "--entry", verdict]
        # A lab each: the kernel gives a queue free some time after its socket has closed.
        with (
            open_veth_lab("serial", queues, gro=False) as lab,
            run_forwarder(lab, SocketSettings(), function) as forwarder,
        ):
            stream = Stream(
                load=flood, mode="serial", line_rate_mpps=inf, cores=lab.generator_cores
            )
            for size in FRAME_BYTES:
                with plan_file(NOTHING, of_size(size)) as plan:
                    send = partial(_send, lab, forwarder, plan, stream, timing)
                    found[cost_name(SOCKETS, verdict, size, queues)] = unstalled_ns(send)
    return found


def _send(
    lab: VethLab, forwarder: Forwarder, plan: Path, stream: Stream, timing: Timing
) -> TrafficReport:
    report, _ = send_frames_to(lab, forwarder, plan, stream, timing)
    return report
