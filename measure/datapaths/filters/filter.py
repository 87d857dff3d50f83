"""A filter in force, whatever subsystem of the kernel it sits in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linerate.measure.processes.held import HeldProcess

SUBNET = "198.19.0.0/16"
"""Where filtered packets go: the device's half of RFC 2544's benchmark addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropCount:
    """What a filter had dropped at one moment."""

    at_ns: int
    """Clock of ``time.monotonic_ns``."""
    packets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One load of a filter, in force."""

    program_hash: str
    """SHA-256 of the object or of the rules, 16 hex digits."""
    count: Callable[[], DropCount]
    """Reads the filter's own counter."""
    memory_bytes: int | None = None
    """What the kernel charges for program and maps. None for rules: the kernel does not say what
    they hold, and the change of its free memory is other people's work as well."""
    processes: tuple[HeldProcess, ...] = ()
    """What holds it in force; none for rules that the kernel keeps."""
    program_ns: float | None = None
    """Mean time of one pass over a frame that is dropped, by a kernel test run; None for rules."""
