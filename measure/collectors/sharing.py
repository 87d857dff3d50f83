"""Whether the core was all the device's, or its other hardware thread was busy beside it.

Fixed work that fills all of a core takes half as long again and more where the core's other
hardware thread has work, too. On a virtual machine that thread may belong to another guest: neither
steal time nor a clock shows it, and a packet path takes a quarter longer meanwhile.

References
----------
Two threads of a core share its issue slots: Tullsen, Eggers and Levy, Simultaneous multithreading,
ISCA (1995).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from linerate.errors import CannotHereError
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.records import Trial

SHARED_RATIO = 1.3
"""Times the core's least from which a look is of a shared core: alone looks differ by 1 %."""
LEARN_SECONDS = 1.0
"""How long a core is looked at first that nothing is known of: others leave it some of that."""
_least_ns: dict[int, int] = {}
"""Least that the work took on each core since this process began: what it takes alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreLooks:
    """Looks at one core."""

    at_ns: tuple[int, ...]
    """When each began, by the monotonic clock."""
    took_ns: tuple[int, ...]
    """What the work took."""


_LOOKS = TypeAdapter(CoreLooks)


@dataclass(frozen=True, slots=True)
class SharingWatch:
    """Probes that wait, each for its core."""

    probes: Mapping[int, HeldProcess]

    @contextmanager
    def watching(self) -> Iterator[dict[int, CoreLooks]]:
        """Look at all cores meanwhile; what was seen is there once the context has ended."""
        looks: dict[int, CoreLooks] = {}
        for probe in self.probes.values():
            probe.tell("begin")
        yield looks
        for core, probe in self.probes.items():
            looks[core] = probe.parse(_LOOKS, probe.ask("end"))
            least_ns = min(looks[core].took_ns, default=_least_ns.get(core, 0))
            _least_ns[core] = min(_least_ns.get(core, least_ns), least_ns)


def counts_of(looks: Mapping[int, CoreLooks], trial: Trial) -> dict[str, float]:
    """Count the looks at shared cores in the window of a trial; in all of it where that is unknown.

    Parameters
    ----------
    looks
        By core.
    trial
        The trial that they were taken beside.
    """
    seen, shared = 0, 0
    for core, own in looks.items():
        took_ns = _in_window(own, trial)
        seen += len(took_ns)
        shared += shared_looks(took_ns, _least_ns[core])
    return {"sharing_looks": seen, "sharing_shared_looks": shared}


def shared_looks(took_ns: Sequence[int], alone_ns: int) -> int:
    """Count the looks that took too long for a core alone.

    >>> shared_looks([2470, 2480, 4430, 4400], alone_ns=2470)
    2
    """
    return int(np.count_nonzero(np.asarray(took_ns) > SHARED_RATIO * alone_ns))


def _in_window(looks: CoreLooks, trial: Trial) -> list[int]:
    if not trial.began_ns:
        return list(looks.took_ns)
    end_ns = trial.began_ns + 1e9 * trial.duration_s
    return [took_ns for at_ns, took_ns in zip(looks.at_ns, looks.took_ns, strict=True)
            if trial.began_ns <= at_ns <= end_ns]  # fmt: skip


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
        if not all(core in _least_ns for core in cores):
            with watch.watching():
                time.sleep(learn_seconds)
        yield watch


def sample_sharing(cores: Collection[int], seconds: float) -> float | None:
    """Take the share of looks, 0 to 1, at which others used one of some idle cores.

    Returns
    -------
    None where the probe is not built or a core is not ours.
    """
    try:
        with open_sharing_watch(cores, seconds) as watch, watch.watching() as looks:
            time.sleep(seconds)
    except CannotHereError:
        return None
    counts = [(len(own.took_ns), shared_looks(own.took_ns, _least_ns[core]))
              for core, own in looks.items()]  # fmt: skip
    return sum(shared for _, shared in counts) / max(sum(seen for seen, _ in counts), 1)


@contextmanager
def _probe(core: int) -> Iterator[HeldProcess]:
    argv: list[str | Path] = [built.runner("sharing_probe"), "--core", str(core)]
    with hold_process(f"sharing probe of core {core}", argv, greets=False) as held:
        yield held
