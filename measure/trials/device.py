"""Failures of the device under test: they are results of its run, whatever the datapath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TypeVar

from linerate.errors import BadInputError, CannotHereError, DeviceFailedError, LinerateError
from linerate.measure.processes.held import HeldProcess
from linerate.records import Trial

T = TypeVar("T")
SECONDS_MIN = 1e-6
"""A trial takes some time, also one that failed at once."""


@contextmanager
def started(device: AbstractContextManager[T]) -> Iterator[T]:
    """Enter the context of a device under test: where it cannot start, that is its result.

    Raises
    ------
    DeviceFailedError
        The kernel or a tool refused it.
    BadInputError, CannotHereError
        As the device raised them: what was asked for is wrong, or the machine lacks something.
    """
    with ExitStack() as stack:
        with failures_are_results():
            entered = stack.enter_context(device)
        yield entered


@contextmanager
def failures_are_results() -> Iterator[None]:
    """Take a failure of what is done meanwhile for one of the device under test."""
    try:
        yield
    except (DeviceFailedError, BadInputError, CannotHereError):
        raise
    except LinerateError as error:
        raise DeviceFailedError(str(error)) from error


def check_alive(processes: Iterable[HeldProcess]) -> None:
    """Refuse counts of a device that ended meanwhile.

    Raises
    ------
    DeviceFailedError
        The first that ended, and how.
    """
    for process in processes:
        process.check_alive()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A trial that has begun, or the start of its device."""

    started_at: str
    began_s: float

    @classmethod
    def now(cls) -> Attempt:
        """Begin."""
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        return cls(started_at=started_at, began_s=monotonic())

    def failed(self, error: DeviceFailedError) -> Trial:
        """State that nothing was counted, why, and how long it took until that was known."""
        return Trial(
            duration_s=max(monotonic() - self.began_s, SECONDS_MIN),
            intended_packets=0, sent_packets=0, forwarded_packets=0,
            failure=" ".join(str(error).split()), started_at=self.started_at,
        )  # fmt: skip
