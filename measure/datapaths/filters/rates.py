"""A filter's counter over time, as a monitor beside the device would see it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

import numpy as np

from linerate.measure.datapaths.filters.filter import DropCount

INTERVAL_S = 0.1
"""Between two looks at the counter."""


@dataclass(slots=True, kw_only=True)
class Looks:
    """Looks at a counter: when the context opens, in between, and when it closes."""

    count: Callable[[], DropCount]
    """Reads the counter."""
    busy_cores: Collection[int]
    """Cores of the lab, to be left alone where there are others."""
    taken: list[DropCount] = field(default_factory=list, init=False)
    """In order; whole when the context is closed."""
    load_began_ns: int = field(default=0, init=False)
    load_ended_ns: int = field(default=0, init=False)
    """When the load was on, for the rates: what comes before and after is not of it."""
    _closing: threading.Event = field(default_factory=threading.Event, init=False)
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1), init=False)
    _looking: Future[None] | None = field(default=None, init=False)

    def __enter__(self) -> Looks:
        self.taken.append(self.count())
        self._looking = self._pool.submit(self._look)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._looking
        self._closing.set()
        self._pool.shutdown()
        if kind is None:
            self._looking.result()
            self.taken.append(self.count())

    @contextmanager
    def during_load(self) -> Iterator[None]:
        """Note when the load begins and ends."""
        self.load_began_ns = time.monotonic_ns()
        yield
        self.load_ended_ns = time.monotonic_ns()

    def packets(self) -> int:
        """Packets counted from the first look to the last."""
        return self.taken[-1].packets - self.taken[0].packets

    def packets_by_interval(self, duration_ns: int) -> tuple[int, ...]:
        """Packets counted in each interval that lies wholly within a load of that duration."""
        # Whoever notes the end may be late where the load leaves no core to others.
        ended_ns = min(self.load_ended_ns, self.load_began_ns + duration_ns)
        first, last = self.taken[0].packets, self.taken[-1].packets
        return packets_by_interval(
            [
                look
                for look in self.taken
                if self.load_began_ns <= look.at_ns <= ended_ns and first < look.packets < last
            ]
        )

    def _look(self) -> None:
        # Of this thread alone, and of the tools that it starts.
        os.sched_setaffinity(
            0, os.sched_getaffinity(0) - set(self.busy_cores) or os.sched_getaffinity(0)
        )
        due_s = time.monotonic() + INTERVAL_S
        while not self._closing.wait(max(0.0, due_s - time.monotonic())):
            self.taken.append(self.count())
            due_s = max(due_s + INTERVAL_S, time.monotonic())


def packets_by_interval(looks: Sequence[DropCount]) -> tuple[int, ...]:
    """Packets counted in each interval that lies wholly between the first look and the last.

    A look is late where the load leaves no core to the one who looks, so the counter is taken
    between two looks as if it had run evenly: a late look smooths the peak and invents none.

    >>> seen = ((0.0, 3), (0.1, 9), (0.3, 29), (0.39, 31))
    >>> looks = [DropCount(at_ns=round(at_s * 1e9), packets=packets) for at_s, packets in seen]
    >>> packets_by_interval(looks)
    (6, 10, 10)
    """
    if len(looks) < 2:
        return ()
    at_s = np.array([look.at_ns - looks[0].at_ns for look in looks]) / 1e9
    # A hair's breadth, so that an interval that just fits is not lost to rounding.
    whole = int(at_s[-1] / INTERVAL_S * (1 + 1e-9))
    counted = np.interp(
        np.arange(whole + 1) * INTERVAL_S, at_s, [float(look.packets) for look in looks]
    )
    return tuple(int(packets) for packets in np.diff(np.rint(counted)))
