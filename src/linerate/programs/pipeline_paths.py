"""What packets execute in a pipeline of the user's own, path by path.

Written by ``measure``, priced by ``models``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from linerate.errors import bad_input


class Wait(NamedTuple):
    """An instruction that waits for a write before it."""

    line: int
    """Of the instruction, in the file, from 1."""
    code: str
    write_line: int
    write_code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePath:
    """One way of packets."""

    operations: tuple[tuple[str, int], ...]
    """Pairs (kind, times), by kind; of several passes all together."""
    share: float
    """Of the packets, 0 to 1."""
    choices: tuple[str, ...]
    """What packets and entries decide: ``routes:route``, ``line 7:jump``."""
    sends: bool
    """Whether the packet leaves, or is dropped."""
    waits: tuple[tuple[Wait, int], ...] = ()
    """Pairs (wait, times); as many as it is ``stalled``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineTraffic:
    """Frames of one load, and the paths that they take."""

    frame_bytes: float
    """Mean size, with FCS."""
    paths: tuple[PipelinePath, ...]
    ran_ns: tuple[float, ...] = ()
    """Time of a packet in test runs of this traffic, ns, of each load; empty where it was not
    run."""

    def __post_init__(self) -> None:
        if not self.paths or not sum(path.share for path in self.paths) > 0.0:
            raise bad_input("paths", len(self.paths), why="no packet takes any of them",
                            allowed="one path at least", do="give other frames")  # fmt: skip
