"""A bench: one program load, up and ready for trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linerate.cells import Load
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.processes.held import HeldProcess
from linerate.records import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long to send."""

    warm_up_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What trials of one program load run on."""

    program_hash: str
    """SHA-256 of what was loaded, 16 hex digits."""
    run_trial: Callable[[Load, Timing], Trial]
    """Offers a load once and counts. It may be called any number of times, with loads that
    differ in rate, arrivals and duration."""
    processes: tuple[HeldProcess, ...] = ()
    """Of the device under test: all of them live as long as the bench, or it has failed."""
    probe_point: ProbePoint | None = None
    """Where probes may look; None where there is no device for them to see."""
    lcores: tuple[int, ...] = ()
    """Cores that the device runs on, where no probe point names them."""

    @property
    def cores(self) -> tuple[int, ...]:
        """Cores that the device runs on; empty where that is on another machine."""
        return self.probe_point.cores if self.probe_point else self.lcores
