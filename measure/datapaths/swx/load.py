"""What the ports of a pipeline can be fed with, and the options of the runner's own generator."""

from __future__ import annotations

import math
from collections.abc import Callable

from linerate.cells import Load
from linerate.errors import bad_input
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.generators.live_frames import check_packets
from linerate.measure.trials.bench import Timing
from linerate.units import FRAME_BYTES_MAX

Refusal = Callable[[Load], None]


def check_load(load: Load, settings: PipelineSettings) -> None:
    """Refuse a load that a pipeline's port cannot have.

    Raises
    ------
    BadInputError
        Frames, packets or a rate that the port's generator does not send.
    """
    largest = max(size for _, size in load.frame_mix)
    if largest > FRAME_BYTES_MAX:
        raise bad_input(
            "frame_bytes", largest, why="the generators of DPDK's lab cannot send it (FCS counted)",
            allowed=f"64..{FRAME_BYTES_MAX}", do="choose a smaller size",
        )  # fmt: skip
    if load.generator != "live_frames" or load.pings_per_second:
        raise bad_input(
            "generator", load.generator, why="a pipeline answers no ping, and keeps its own ports",
            allowed="the usual generator, without pings", do="leave it out",
        )  # fmt: skip
    for refusal in _REFUSALS[settings.port]:
        refusal(load)


def _of_one_source(load: Load) -> None:
    if load.packet.protocol != "udp" or load.packet.sources != 1:
        raise bad_input(
            "packet", load.packet, why="the generator of DPDK's lab sends UDP of one source",
            allowed='the usual packet, or port = "af_xdp"', do="leave it out",
        )  # fmt: skip


def _from_nowhere(load: Load) -> None:
    if math.isfinite(load.offered_mpps) or len(load.frame_mix) > 1:
        raise bad_input(
            "port", "net_null", why="net_null generates frames of one size and cannot be paced",
            allowed='offered_mpps = ["flood"] and a single frame_bytes',
            do='correct the load, or use port = "ring"',
        )  # fmt: skip


_REFUSALS: dict[str, tuple[Refusal, ...]] = {
    "net_null": (_of_one_source, _from_nowhere),
    "ring": (_of_one_source,),
    "memif": (_of_one_source,),
    "af_xdp": (check_packets,),
    "pci": (),
}


def load_flags(load: Load, timing: Timing) -> list[str]:
    """Say by flags what the runner's generator sends, and how long."""
    slots = [str(size) for weight, size in load.frame_mix for _ in range(weight)]
    flags = [
        "--seconds", str(timing.seconds), "--warm-up-seconds", str(timing.warm_up_seconds),
        "--frame-bytes", ",".join(slots), "--flows", str(load.flows),
        "--arrivals", {"burst": "constant"}.get(load.arrivals, load.arrivals),
    ]  # fmt: skip
    if math.isfinite(load.offered_mpps):
        flags += ["--packets-per-second", str(round(load.offered_mpps * 1e6))]
    return [*flags, "--burst-packets", str(load.burst_packets)]


def null_flags(load: Load) -> tuple[str, ...]:
    """Describe the frames that net_null generates."""
    ((_, frame_bytes),) = load.frame_mix
    return ("--frame-bytes", str(frame_bytes), "--flows", str(load.flows))
