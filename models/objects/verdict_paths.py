"""Where packets end, and what the program takes for those that end there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.programs.times import ProgramTimes, speed_ratio
from linerate.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPath:
    """The packets of one verdict."""

    verdict: str
    share: float
    """Of the traffic, 0 to 1."""
    program_ns: float
    """Mean time of the program on its frames, each by itself again and again; nan where none of
    them was timed by itself."""
    frames: int
    """Different frames that end so."""
    timed_frames: int
    """Those of them that were timed by themselves."""

    def __str__(self) -> str:
        timed = "" if np.isnan(self.program_ns) else f" after {short(self.program_ns)} ns"
        return f"{self.verdict} {self.share:.0%}{timed}"


def verdict_paths(times: ProgramTimes, yardstick_ns: float) -> tuple[VerdictPath, ...]:
    """Group the frames of a traffic by what becomes of them, as on a machine of this yardstick."""
    scale = float(speed_ratio(yardstick_ns, [np.median(times.yardstick_ns)])[0])
    found = []
    for verdict, share in times.verdict_shares().items():
        own = [frame for frame in times.frames if frame.verdict == verdict]
        timed = [frame for frame in own if np.isfinite(frame.program_ns)]
        weights = [frame.share for frame in timed]
        alone_ns = [frame.program_ns for frame in timed]
        mean_ns = float(np.average(alone_ns, weights=weights)) if timed else float("nan")
        found.append(VerdictPath(
            verdict=verdict, share=share, frames=len(own), timed_frames=len(timed),
            program_ns=scale * max(mean_ns, 0.0) if timed else mean_ns,
        ))  # fmt: skip
    return tuple(found)
