"""Whether the core was all the device's, or its other hardware thread was busy beside it.

Work that fills all of a core takes half as long again and more where the core's other hardware
thread has work, too; a chain, of which each link waits for the one before, does not. On a virtual
machine that thread may belong to another guest: neither steal time nor a clock shows it, and a
packet path takes a third longer meanwhile. The ratio of both follows no change of the clock.

References
----------
Two threads of a core share what executes their instructions: Tullsen, Eggers and Levy, Simultaneous
multithreading, ISCA (1995).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from pydantic import TypeAdapter

from linerate.errors import CannotHereError
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.records import Trial
from linerate.stretches import MOST_SHARED, STEEPEST

SHARED_RATIO = 1.3
"""Times the ratio of the core alone from which a look is of a shared core: alone 1 % is usual."""
ALONE_QUANTILE, ALONE_LOOKS_MIN = 0.1, 10
"""Of the ratios of a watch that of the core alone, if it was for a tenth of it; the fewest looks to
tell: an interrupt may lengthen a chain, and so shorten one ratio."""
LEARN_SECONDS = 1.0
"""How long a core is looked at first that nothing is known of: others leave it some of that."""
_least: dict[int, float] = {}
"""Of each core the least ratio of a watch since this process began: that of the core alone."""


class Windowed(Protocol):
    """What was counted in a window of time, by the monotonic clock."""

    @property
    def began_ns(self) -> int:
        """When it began; 0 where that is not known."""
        ...

    @property
    def duration_ns(self) -> int:
        """How long it was."""
        ...


Sent = TypeVar("Sent", bound=Windowed)


class CoreLook(NamedTuple):
    """One look at a core."""

    at_ns: int
    """When it began, by the monotonic clock."""
    wide_ns: int
    """What the work took that fills all of a core."""
    chain_ns: int
    """What the chain took."""

    @property
    def ratio(self) -> float:
        """Of the first to the second."""
        return self.wide_ns / max(self.chain_ns, 1)


_LOOKS = TypeAdapter(tuple[CoreLook, ...])


@dataclass(frozen=True, slots=True)
class SharingWatch:
    """Probes that wait, each for its core."""

    probes: Mapping[int, HeldProcess]

    @contextmanager
    def watching(self) -> Iterator[dict[int, Sequence[CoreLook]]]:
        """Look at all cores meanwhile; what was seen is there once the context has ended."""
        looks: dict[int, Sequence[CoreLook]] = {}
        for probe in self.probes.values():
            probe.tell("begin")
        yield looks
        for core, probe in self.probes.items():
            looks[core] = own = probe.parse(_LOOKS, probe.ask("end"))
            seen = alone_ratio([look.ratio for look in own])
            _least[core] = min(_least.get(core, np.inf), seen)


def counts_of(looks: Mapping[int, Sequence[CoreLook]], trial: Trial) -> dict[str, float]:
    """Count the looks at shared cores in the window of a trial; in all of it where that is unknown.

    Parameters
    ----------
    looks
        By core.
    trial
        The trial that they were taken beside.
    """
    return _counts_in(looks, trial.began_ns, round(1e9 * trial.duration_s))


def sent_beside(watch: SharingWatch | None, send: Callable[[], Sent]) -> tuple[Sent, float]:
    """Run once, and say how many times as long others can have made it; inf if nobody looked."""
    if watch is None:
        return send(), np.inf
    with watch.watching() as looks:
        report = send()
    share = share_of(looks, report)
    return report, np.inf if np.isnan(share) else float(np.exp(STEEPEST * share))


def share_of(looks: Mapping[int, Sequence[CoreLook]], report: Windowed) -> float:
    """Share of the looks beside what was sent that saw others, 0 to 1; nan where nobody looked."""
    return shared_ratio(_counts_in(looks, report.began_ns, report.duration_ns))


def shared_ratio(counts: Mapping[str, float]) -> float:
    """Share of counted looks that saw others, 0 to 1; nan where nobody looked."""
    seen = counts["sharing_looks"]
    return counts["sharing_shared_looks"] / seen if seen else np.nan


def _counts_in(
    looks: Mapping[int, Sequence[CoreLook]], began_ns: int, duration_ns: int
) -> dict[str, float]:
    seen, shared, most = 0, 0, 0.0
    for core, own in looks.items():
        inside = [look.ratio for look in own if _in_window(look, began_ns, duration_ns)]
        beside = shared_looks(inside, _least[core])
        seen, shared = seen + len(inside), shared + beside
        most = max(most, beside / max(len(inside), 1))
    return {"sharing_looks": seen, "sharing_shared_looks": shared, MOST_SHARED: most}


def alone_ratio(ratios: Sequence[float]) -> float:
    """Take the ratio of a watch's looks that is of a core alone, if it was; inf by too few looks.

    >>> round(alone_ratio([1.16] * 11 + [2.08] * 8 + [0.3]), 2), alone_ratio([1.16] * 3)
    (1.16, inf)
    """
    few = len(ratios) < ALONE_LOOKS_MIN
    return np.inf if few else float(np.quantile(ratios, ALONE_QUANTILE, method="nearest"))


def shared_looks(ratios: Sequence[float], alone: float) -> int:
    """Count the looks whose ratio is too high for a core alone.

    >>> shared_looks([1.16, 1.17, 2.08, 2.05], alone=1.15)
    2
    """
    return int(np.count_nonzero(np.asarray(ratios) > SHARED_RATIO * alone))


def _in_window(look: CoreLook, began_ns: int, duration_ns: int) -> bool:
    """Whether a look began in the counted time; any did where that is not known."""
    return not began_ns or 0 <= look.at_ns - began_ns <= duration_ns


@contextmanager
def open_sharing_watch(
    cores: Collection[int], learn_seconds: float = LEARN_SECONDS
) -> Iterator[SharingWatch]:
    """Start a probe for each core, and learn what its work takes where that is not known yet.

    Parameters
    ----------
    cores
        That the device runs on.
    learn_seconds
        How long to look at them first where nothing is known of one.

    Raises
    ------
    CannotHereError
        The probe is not built, or a core is not ours.
    """
    with ExitStack() as stack:
        watch = SharingWatch({core: stack.enter_context(_probe(core)) for core in cores})
        if not all(core in _least for core in cores):
            with watch.watching():
                time.sleep(learn_seconds)
        yield watch


@dataclass(slots=True)
class OthersSeen:
    """Whether others used some cores during a piece of work."""

    ratio: float | None = None
    """Share of looks, 0 to 1, at which they did; None until the work has ended, and where nobody
    looked, the probe is not built or a core is not ours."""


@contextmanager
def watch_if_possible(
    cores: Collection[int], learn_seconds: float = 0.0
) -> Iterator[SharingWatch | None]:
    """Start the probes, as ``open_sharing_watch`` does; None where that cannot be here."""
    with ExitStack() as stack:
        watch = None
        with suppress(CannotHereError):
            watch = stack.enter_context(open_sharing_watch(cores, learn_seconds))
        yield watch


@contextmanager
def seeing_others(cores: Collection[int], learn_seconds: float = 0.0) -> Iterator[OthersSeen]:
    """Look at cores until this ends; what a core alone takes is learnt meanwhile, too."""
    seen = OthersSeen()
    with watch_if_possible(cores, learn_seconds) as watch:
        if watch is None:
            yield seen
            return
        with watch.watching() as looks:
            yield seen
    counts = _counts_in(looks, 0, 0)
    if counts["sharing_looks"]:
        seen.ratio = counts["sharing_shared_looks"] / counts["sharing_looks"]


def sample_sharing(cores: Collection[int], seconds: float) -> float | None:
    """Take the share of looks, 0 to 1, at which others used one of some idle cores.

    Returns
    -------
    None where the probe is not built or a core is not ours.
    """
    with seeing_others(cores, seconds) as seen:
        time.sleep(seconds)
    return seen.ratio


@contextmanager
def _probe(core: int) -> Iterator[HeldProcess]:
    argv: list[str | Path] = [built.runner("sharing_probe"), "--core", str(core)]
    with hold_process(f"sharing probe of core {core}", argv) as held:
        yield held
