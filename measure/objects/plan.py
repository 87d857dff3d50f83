"""The plan of a runner: settings, entries and frames in lines of text."""

from __future__ import annotations

import os
import tempfile
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
    """Write a plan into a file that only its owner reads, and that goes away at the end."""
    with tempfile.NamedTemporaryFile("w", prefix="linerate-plan-", encoding="ascii") as file:
        file.write(plan_text(settings, frames))
        file.flush()
        yield Path(file.name)


@contextmanager
def frames_file(frames: Frames) -> Iterator[str]:
    """Write frames alone where a runner reads them, and nothing stays if both are killed."""
    fd = os.memfd_create("linerate-frames")
    try:
        path = f"/proc/{os.getpid()}/fd/{fd}"
        Path(path).write_text("".join(f"{line}\n" for line in frame_lines(frames)))
        yield path
    finally:
        os.close(fd)
