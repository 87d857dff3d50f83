"""What a test run says of a user's program: time by frame, verdicts, and how much it varies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

VERDICTS = ("aborted", "drop", "pass", "tx", "redirect")
"""By the number that the kernel has for each."""
_OF_TC = {2: "drop", 4: "drop", 7: "redirect", 8: "drop"}
"""What TC_ACT_SHOT, STOLEN, REDIRECT and TRAP are called here; all else passes."""


def verdict_named(number: int, datapath: str) -> str:
    """Name what a program returns.

    >>> verdict_named(2, "xdp_native"), verdict_named(2, "tc"), verdict_named(9, "xdp_generic")
    ('pass', 'drop', 'aborted')
    """
    if datapath == "tc":
        return _OF_TC.get(number, "pass")
    return VERDICTS[number] if number < len(VERDICTS) else VERDICTS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameTimes:
    """One of the frames of the traffic."""

    frame_bytes: int
    """Size with FCS."""
    share: float
    """Of all frames of the traffic, 0 to 1."""
    verdict: str
    """One of ``VERDICTS``."""
    program_ns: float
    """Time of the program on this frame alone; nan where it was not timed by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreTimes:
    """A program's time on one core while others run it on the same traffic, by load."""

    cores: int
    """That run it at once."""
    program_ns: tuple[float, ...]
    """Time a frame beyond a program that does nothing."""
    yardstick_ns: tuple[float, ...]
    """Time of work that never changes, taken between the same runs."""
    share: float
    """Of the time that the other cores had for it, 0 to 1: median over loads of the least."""

    def scaled_ns(self, yardstick_ns: float) -> NDArray[np.float64]:
        """Time of each load as on a machine whose yardstick takes this long, ns, shape (loads,)."""
        return _scaled(self, yardstick_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """How packets ended where as many came as a lab's cores could generate and serve."""

    queues: int
    rates_mpps: tuple[tuple[str, float], ...]
    """Of each verdict."""

    @property
    def mpps(self) -> float:
        """Rate of all packets."""
        return sum(rate for _, rate in self.rates_mpps)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTimes:
    """One program on one traffic, over several loads of it."""

    program: str
    program_ns: tuple[float, ...]
    """Time a frame of the mix beyond a program that does nothing, by load."""
    yardstick_ns: tuple[float, ...]
    """Time of work that never changes, as a calibration takes it; taken between the loads."""
    frames: tuple[FrameTimes, ...]
    together: tuple[CoreTimes, ...] = ()
    """The same on 2, 3, ... cores at once; empty where it was timed on one alone."""
    log_deviation: float = 0.0
    """Standard deviation of the logarithm of its time where that was counted and not run; else
    0."""
    floods: tuple[Flood, ...] = ()
    """Of a program that reads the clock, on 1, 2, ... queues; empty where nobody looked."""
    others_ratio: float = nan
    """Share of looks at its cores that saw others meanwhile, 0 to 1; nan where nobody looked."""

    def verdict_shares(self) -> dict[str, float]:
        """Share of the traffic that ends in each verdict that occurs, 0 to 1."""
        shares = {
            verdict: sum(frame.share for frame in self.frames if frame.verdict == verdict)
            for verdict in VERDICTS
        }
        return {verdict: share for verdict, share in shares.items() if share}

    def scaled_ns(self, yardstick_ns: float) -> NDArray[np.float64]:
        """Time of each load as on a machine whose yardstick takes this long, ns, shape (loads,)."""
        return _scaled(self, yardstick_ns)

    @property
    def frame_bytes(self) -> float:
        """Mean frame size with FCS."""
        return sum(frame.share * frame.frame_bytes for frame in self.frames)


def speed_ratio(yardstick_ns: float, taken_ns: Sequence[float]) -> NDArray[np.float64]:
    """Say what work takes where the yardstick takes this long, over what it took here.

    Parameters
    ----------
    yardstick_ns
        Of a box; nan where it was never tried there: work is taken to last as long as here.
    taken_ns
        What it took here, shape (loads,).

    >>> speed_ratio(50.0, [100.0, 25.0]).tolist(), speed_ratio(float("nan"), [100.0]).tolist()
    ([0.5, 2.0], [1.0])
    """
    ratios = yardstick_ns / np.asarray(taken_ns, dtype=np.float64)
    return np.ones_like(ratios) if np.isnan(yardstick_ns) else ratios


def _scaled(times: CoreTimes | ProgramTimes, yardstick_ns: float) -> NDArray[np.float64]:
    taken_ns = np.asarray(times.program_ns, dtype=np.float64)
    return taken_ns * speed_ratio(yardstick_ns, times.yardstick_ns)
