"""Where the time of a function in user space goes: the datapath's part, and frame by frame."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from linerate.box import Box
from linerate.models.objects.base import base_costs
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.models.objects.service import mpps
from linerate.programs.times import ProgramTimes, speed_ratio
from linerate.units import short

SHOWN = 8
"""Frames that the text names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTime:
    """One frame of the traffic."""

    frame_bytes: int
    verdict: str
    share: float
    """Of the packets, 0 to 1."""
    base_ns: float
    """Of the datapath, with this verdict and size."""
    function_ns: float
    """Of the function, on this frame again and again."""
    time_share: float
    """Of the function's time over the whole traffic, 0 to 1."""

    def __str__(self) -> str:
        return (f"{self.frame_bytes} B, {self.verdict}, {self.share:.0%} of packets: "
                f"{short(self.function_ns)} ns in the function ({self.time_share:.0%} of its time)"
                f", {short(self.base_ns)} around it")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameExplanation:
    """A packet's time on AF_XDP, by what takes it."""

    program: str
    frame_bytes: float
    """Mean size of the traffic."""
    base_ns: float
    function_ns: float
    """As measured on the mix."""
    frames: tuple[FrameTime, ...]
    """Those that were timed by themselves, those that take most of the function's time first."""
    without_mpps: float
    """Rate of a function that takes no time and gives the same verdicts."""
    dropping_mpps: float
    """Rate of this function if it dropped every frame."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        packet_ns = self.base_ns + self.function_ns
        lines = [
            f"{short(packet_ns, 4)} ns of a packet of {self.program}, {self.frame_bytes:.4g} B:",
            f"  {short(self.base_ns, 4)} ns in AF_XDP: receiving, waking up, sending or giving "
            "back",
            f"  {short(self.function_ns)} ns in the function; without it {self.without_mpps:.3g} "
            "Mpps",
            f"  if it dropped every frame {self.dropping_mpps:.3g} Mpps",
            *(f"  frame {frame}" for frame in self.frames[:SHOWN]),
        ]
        if len(self.frames) > SHOWN:
            lines.append(f"  and {len(self.frames) - SHOWN} more frames")
        return "\n".join(lines)


def explain_frames(times: ProgramTimes, answer: ObjectAnswer, box: Box) -> FrameExplanation:
    """Account for a packet's time.

    Parameters
    ----------
    times
        Of the function on its traffic, with each of the first frames by itself.
    answer
        What it sustains.
    box
        The calibrated box that it rests on.
    """
    costs = base_costs(box, answer.datapath)
    scale = float(speed_ratio(costs.yardstick_ns, [np.median(times.yardstick_ns)])[0])
    timed = [
        (frame, max(scale * frame.program_ns, 0.0))
        for frame in times.frames if np.isfinite(frame.program_ns)
    ]  # fmt: skip
    whole_ns = sum(frame.share * ns for frame, ns in timed) or 1.0
    found = [
        FrameTime(
            frame_bytes=frame.frame_bytes, verdict=frame.verdict, share=frame.share,
            base_ns=costs.of(frame.verdict, frame.frame_bytes, answer.queues).value_ns,
            function_ns=ns, time_share=frame.share * ns / whole_ns,
        )
        for frame, ns in timed
    ]  # fmt: skip
    dropping_ns = answer.program_ns + sum(
        frame.share * costs.of("drop", frame.frame_bytes, answer.queues).value_ns
        for frame in times.frames
    )
    rates = [mpps(ns, answer.queues, answer.line_rate_mpps)
             for ns in (answer.base_ns, dropping_ns)]  # fmt: skip
    return FrameExplanation(
        program=times.program, frame_bytes=times.frame_bytes, base_ns=answer.base_ns,
        function_ns=answer.program_ns,
        frames=tuple(sorted(found, key=lambda frame: -frame.time_share)),
        without_mpps=rates[0], dropping_mpps=rates[1],
    )  # fmt: skip
