"""What a test run printed: times of programs in their turns, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from linerate.stretches import DISTURBED_RATIO

MIX = -1
"""What the runner calls the whole traffic."""
EMPTY, YARDSTICK, TESTED = range(3)
"""Programs that take turns, as the runner numbers them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Times of one program's turns on a frame, or on the mix."""

    slot: int
    frame: int
    runs: int
    """Of the program in a turn."""
    ns: tuple[int, ...]
    rivals: int = 0
    """Other cores that ran the program meanwhile."""
    share: float = 1.0
    """Of the time that each of them had its core at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameVerdict:
    """How a frame ended once."""

    frame: int
    verdict: int
    packet_bytes: int
    mixed: bool = False
    """Whether it came in its place of the mix; else by itself."""


LEAST_QUANTILE, ALONE_SHARE_MIN = 0.05, 0.03
"""Of turns: which are taken to be undisturbed if any are, and how many must be."""

ALIKE_RATIO = 1.005
"""What turns differ by at most while nobody disturbs them: 1.0001 were seen, and 1.006 to 1.28
where fewer or none were undisturbed (docs/models/objects/host-speed.md)."""
STALLED_RATIO = 10.0
"""Of a turn's time to the median from which on it was not an interrupt that took the core."""

_LINE: TypeAdapter[Samples | FrameVerdict] = TypeAdapter(Samples | FrameVerdict)
Timed = Mapping[tuple[int, int, int], Samples]
"""By slot, frame and rivals."""


def read_samples(output: str) -> tuple[Timed, list[FrameVerdict]]:
    """Read what the runner printed, a line of JSON each."""
    lines = [_LINE.validate_python(json.loads(line)) for line in output.splitlines()]
    samples = {(s.slot, s.frame, s.rivals): s for s in lines if isinstance(s, Samples)}
    return samples, [line for line in lines if isinstance(line, FrameVerdict)]


def beyond_ns(
    samples: Timed, slot: int, frame: int, rivals: int = 0, *, alone: bool = False
) -> float:
    """Median time of a program beyond the empty one's of the same round, ns a frame.

    Of rounds that nobody disturbed, as the empty program says, and the yardstick on the mix; where
    it is known that nobody else was there, ``alone``, of all, with the machine's own interrupts.
    """
    tested, empty = (run_ns(samples[each, frame, rivals]) for each in (slot, EMPTY))
    if alone:
        return own_ratio(samples) * float(np.median(tested - empty))
    calm = undisturbed(empty)
    if frame == MIX and slot != YARDSTICK:
        calm &= undisturbed(run_ns(samples[YARDSTICK, frame, rivals]))
    kept = calm if calm.mean() >= ALONE_SHARE_MIN else np.full(len(calm), fill_value=True)
    return float(np.median((tested - empty)[kept]))


def own_ratio(samples: Timed) -> float:
    """Say what all turns on the mix took over their medians: a machine interrupts itself.

    Turns that take ``STALLED_RATIO`` times their median are left out: somebody had the core.
    """
    taken_ns = usual_ns = 0.0
    for slot in (EMPTY, YARDSTICK, TESTED):
        own_ns = np.asarray(samples[slot, MIX, 0].ns, dtype=np.float64)
        median_ns = np.median(own_ns)
        kept_ns = own_ns[own_ns < STALLED_RATIO * median_ns]
        taken_ns, usual_ns = taken_ns + kept_ns.sum(), usual_ns + median_ns * len(kept_ns)
    return taken_ns / usual_ns


def undisturbed(taken_ns: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say in which turns work that never changes took little longer than in the least of them.

    Parameters
    ----------
    taken_ns
        Shape (turns,).

    Returns
    -------
    Shape (turns,).

    >>> undisturbed(np.array([100.0] * 8 + [104.0, 140.0])).tolist()[-3:]
    [True, True, False]
    """
    least_ns = np.quantile(taken_ns, LEAST_QUANTILE)
    return np.asarray(taken_ns <= DISTURBED_RATIO * least_ns)


def agrees(taken_ns: NDArray[np.float64]) -> bool:
    """Whether a tenth of the turns of work that never changes took the same time.

    >>> agrees(np.array([100.0] * 15 + [130.0] * 85)), agrees(np.arange(100.0, 200.0))
    (True, False)
    """
    low, tenth = np.quantile(taken_ns, (0.04, 0.11))
    return bool(tenth <= ALIKE_RATIO * low)


def run_ns(samples: Samples) -> NDArray[np.float64]:
    """Time of one run in each turn, ns, shape (turns,)."""
    return np.asarray(samples.ns, dtype=np.float64) / samples.runs
