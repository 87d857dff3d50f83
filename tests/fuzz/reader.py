"""One reader of files of people we do not know, and what its files are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = 25
"""Changed ones that a test gives to a reader; ``make fuzz-readers`` has many more."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Something that reads files of people we do not know."""

    name: str
    file: str
    """Name of the file; its suffix says to some what it is."""
    read: Callable[[Path], object]
    seeds: Callable[[], list[bytes]]
    """What is taken as it is."""
    files: int = FILES
    """For the test: fewer where each takes tens of milliseconds."""


def content(*patterns: str, bytes_max: int = 1 << 20) -> list[bytes]:
    """Take the files of the checkout that these patterns name, the beginning of each."""
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    return [path.read_bytes()[:bytes_max] for path in paths]
