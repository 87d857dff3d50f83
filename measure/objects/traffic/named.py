"""Frames by what a user names: a size, the simple Internet mix, or a file."""

from __future__ import annotations

import os
from pathlib import Path

from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import imix, of_size

IMIX = "imix"
FRAME_BYTES = (64, 512, 1518)
"""Sizes that are asked about where no traffic is named."""


def named_frames(named: str | os.PathLike[str] | int) -> Frames:
    """Build frames of one size, or of the mix, or read a capture (pcap) or a list (JSON).

    Raises
    ------
    BadInputError
        No such size, or a file that cannot be used.

    Examples
    --------
    >>> named_frames(64).mean_frame_bytes, round(named_frames("imix").mean_frame_bytes)
    (64.0, 362)
    """
    if isinstance(named, int) or str(named).isdigit():
        return of_size(int(str(named)))
    return imix() if named == IMIX else read_frames(Path(named))


def loads_of(named: str | os.PathLike[str] | int | None) -> list[Frames]:
    """Build the traffics that are asked about: the one that is named, or the usual sizes apart."""
    return [of_size(size) for size in FRAME_BYTES] if named is None else [named_frames(named)]
