"""The plan of a runner: settings, entries and frames in lines of text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.traffic.frames import Frames


def frame_lines(frames: Frames) -> list[str]:
    """Write frames and their order: each comes once first, then the mix again and again."""
    lines = [f"frame {packet.hex()}" for packet in frames.packets]
    places = chain(range(len(frames.packets)), frames.order)
    return [*lines, *(f"order {place}" for place in places)]


def plan_text(settings: Settings, frames: Frames | None = None) -> str:
    """Write a plan.

    Parameters
    ----------
    settings
        What is set and filled.
    frames
        None where the program gets its packets from elsewhere. Of the order each frame comes once
        first, for maps to grow and for its verdict, then the mix.
    """
    lines = [*settings.lines, *(frame_lines(frames) if frames is not None else ())]
    return "".join(f"{line}\n" for line in lines)


@contextmanager
def plan_file(settings: Settings, frames: Frames | None = None) -> Iterator[Path]:
    """Write a plan where a runner reads it, and nothing stays if both are killed."""
    with _in_memory("linerate-plan", plan_text(settings, frames)) as path:
        yield path


@contextmanager
def frames_file(frames: Frames) -> Iterator[str]:
    """Write frames alone, likewise."""
    lines = "".join(f"{line}\n" for line in frame_lines(frames))
    with _in_memory("linerate-frames", lines) as path:
        yield str(path)


@contextmanager
def _in_memory(name: str, text: str) -> Iterator[Path]:
    """Write a file that is open here alone and on no disk: it goes when nobody has it any more."""
    fd = os.memfd_create(name)
    try:
        os.fchmod(fd, 0o600)  # what maps are filled with is the user's alone
        path = Path(f"/proc/{os.getpid()}/fd/{fd}")
        path.write_text(text, encoding="ascii")
        yield path
    finally:
        os.close(fd)
