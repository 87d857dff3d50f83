"""What the device's host counted of it at one moment, or between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linerate.measure.labs.cpu_times import interrupt_ns, thread_times_ns, unexplained_wait_ns
from linerate.measure.labs.port import Port, PortCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceTimes:
    """Packets of the device, and time of its cores."""

    counts: PortCounts
    interrupt_ns: tuple[int, ...]
    """Of each core, time in interrupts and what they leave to do: a card's own work. Zero where the
    device's NAPI is in threads."""
    run_ns: tuple[int, ...]
    """Run time of each of the device's threads: one of each core in turn, by core."""
    wait_ns: tuple[int, ...]
    """Time that each was ready while another thread held its core."""

    @classmethod
    def now(cls, port: Port, cores: Sequence[int], threads: Sequence[int]) -> DeviceTimes:
        """Read every counter.

        Parameters
        ----------
        port
            The device.
        cores
            Cores that serve it.
        threads
            Process ids of its threads, one of each core in turn.
        """
        times = [thread_times_ns(thread) for thread in threads]
        return cls(
            counts=port.counts(),
            interrupt_ns=tuple(0 if port.is_virtual else interrupt_ns(core) for core in cores),
            run_ns=tuple(run for run, _ in times),
            wait_ns=tuple(wait for _, wait in times),
        )

    def __sub__(self, earlier: DeviceTimes) -> DeviceTimes:
        """Count what came between two looks."""
        return DeviceTimes(
            counts=self.counts - earlier.counts,
            interrupt_ns=_differences(self.interrupt_ns, earlier.interrupt_ns),
            run_ns=_differences(self.run_ns, earlier.run_ns),
            wait_ns=_differences(self.wait_ns, earlier.wait_ns),
        )

    def busy_ns(self) -> tuple[int, ...]:
        """Time of each core that the device took."""
        return tuple(
            interrupts + sum(runs)
            for interrupts, runs in zip(self.interrupt_ns, self._by_core(self.run_ns), strict=True)
        )

    def foreign_wait_ns(self) -> int:
        """Longest that a thread was ready while none of the device's had its core."""
        return unexplained_wait_ns(self._by_core(self.run_ns), self._by_core(self.wait_ns))

    def _by_core(self, times_ns: tuple[int, ...]) -> list[list[int]]:
        cores = len(self.interrupt_ns)
        return [list(times_ns[core::cores]) for core in range(cores)]


def _differences(now: tuple[int, ...], before: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(late - early for late, early in zip(now, before, strict=True))
