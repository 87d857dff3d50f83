"""What a test run printed: times of programs in their turns, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

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


_LINE: TypeAdapter[Samples | FrameVerdict] = TypeAdapter(Samples | FrameVerdict)
Timed = Mapping[tuple[int, int, int], Samples]
"""By slot, frame and rivals."""


def read_samples(output: str) -> tuple[Timed, list[FrameVerdict]]:
    """Read what the runner printed, a line of JSON each."""
    lines = [_LINE.validate_python(json.loads(line)) for line in output.splitlines()]
    samples = {(s.slot, s.frame, s.rivals): s for s in lines if isinstance(s, Samples)}
    return samples, [line for line in lines if isinstance(line, FrameVerdict)]


def beyond_ns(samples: Timed, slot: int, frame: int, rivals: int = 0) -> float:
    """Median time of a program beyond the empty one's of the same round, ns a frame."""
    tested, empty = (run_ns(samples[each, frame, rivals]) for each in (slot, EMPTY))
    return float(np.median(tested - empty))


def run_ns(samples: Samples) -> NDArray[np.float64]:
    """Time of one run in each turn, ns, shape (turns,)."""
    return np.asarray(samples.ns, dtype=np.float64) / samples.runs
