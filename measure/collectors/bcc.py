"""Counts of the kernel's tracepoints around a piece of traffic, by bcc."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from linerate.errors import LinerateError
from linerate.measure.processes.held import HeldProcess, hold_process

TracepointKind = Literal["napi_batches", "xdp_errors", "softirq"]
PYTHON = Path("/usr/bin/python3")
"""The distribution's own interpreter: bcc's binding is one of its packages, not one of pip's."""
SCRIPT = Path(__file__).with_name("bcc_probe.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCounts:
    """What the probes counted, since they were attached or between two looks."""

    polls: tuple[int, ...] = ()
    """NAPI polls of the device by the packets they found: 0 to 64, the last of more than that."""
    polled_packets: int = 0
    """Packets that these polls found."""
    xdp_exceptions: Mapping[int, int] | None = None
    """Id of an XDP program -> packets it aborted, or that could not be sent as it said; None
    where not probed."""
    xdp_redirect_errors: Mapping[int, int] | None = None
    """Id of an XDP program -> packets that could not be redirected; None where not probed."""
    softirq_ns: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Softirq, such as NET_RX -> time that each CPU of the machine spent in it."""

    @property
    def batch_packets_mean(self) -> float:
        """Mean packets of a poll that found any; nan without one."""
        busy_polls = sum(self.polls[1:])
        return self.polled_packets / busy_polls if busy_polls else math.nan

    def softirq_core_ns(self, cores: Collection[int]) -> int:
        """Time that these cores together spent in softirqs of any kind."""
        return sum(ns[core] for ns in self.softirq_ns.values() for core in cores)

    def since(self, before: ProbeCounts) -> ProbeCounts:
        """Subtract an earlier look from this one.

        >>> early, late = ProbeCounts(polls=(1, 2)), ProbeCounts(polls=(1, 5), polled_packets=3)
        >>> late.since(early).polls, late.since(early).batch_packets_mean
        ((0, 3), 1.0)
        """
        return ProbeCounts(
            polls=_less(self.polls, before.polls),
            polled_packets=self.polled_packets - before.polled_packets,
            xdp_exceptions=_fewer(self.xdp_exceptions, before.xdp_exceptions),
            xdp_redirect_errors=_fewer(self.xdp_redirect_errors, before.xdp_redirect_errors),
            softirq_ns={
                name: _less(ns, before.softirq_ns[name]) for name, ns in self.softirq_ns.items()
            },
        )


_COUNTS = TypeAdapter(ProbeCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """Probes that are attached."""

    held: HeldProcess

    def counts(self) -> ProbeCounts:
        """Look at the counts so far.

        Raises
        ------
        LinerateError
            The probe's process ended or hangs.
        """
        line = self.held.ask("counts")
        try:
            return _COUNTS.validate_json(line)
        except ValidationError as error:
            raise LinerateError(f"probes: their answer cannot be read: {line[:200]!r}") from error


@contextmanager
def open_probes(kinds: Collection[TracepointKind], devices: Collection[str]) -> Iterator[Probes]:
    """Attach probes, and detach them at the end; they go with this process however that ends.

    Parameters
    ----------
    kinds
        What to count; what is not asked for costs nothing.
    devices
        Names of the devices whose NAPI polls are counted, unique on this machine: a tracepoint
        sees those of every network namespace.

    Raises
    ------
    CannotHereError
        bcc, kernel headers or rights are missing.
    LinerateError
        The probe's process failed otherwise.
    """
    argv: list[str | Path] = [PYTHON, "-I", SCRIPT]
    for kind in kinds:
        argv += ["--probe", kind]
    for device in devices:
        argv += ["--device", device]
    with hold_process("probes", argv) as held:
        yield Probes(held=held)


def _less(late: tuple[int, ...], early: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(late, early, strict=True))


def _fewer(
    late: Mapping[int, int] | None, early: Mapping[int, int] | None
) -> Mapping[int, int] | None:
    if late is None or early is None:
        return None
    return {key: count - early.get(key, 0) for key, count in late.items()}
