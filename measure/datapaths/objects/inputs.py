"""What a cell with the user's own object is made of: program, settings of maps, frames."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.measure.datapaths.objects.settings import settings_of
from linerate.measure.datapaths.own import is_own
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import Settings, read_settings
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import of_slots
from linerate.units import frame_bytes_of, line_rate_mpps


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All of it, read and checked."""

    path: Path
    entry: str
    settings: Settings
    frames: Frames | None
    """Those that are replayed; None where the generator makes them."""


def read_inputs(cell: Cell, folder: Path) -> Inputs:
    """Read what a cell names, and check it against the object.

    Parameters
    ----------
    cell
        Its ``program`` is a path.
    folder
        Where paths begin: the campaign file's folder, or that with its copy.

    Raises
    ------
    BadInputError
        No object, no such program, maps that it has not, or frames that cannot be sent.
    """
    asked = settings_of(cell)
    path = folder / cell.program
    listing = list_object(path)
    maps = folder / asked.maps if asked.maps else None
    return Inputs(
        path=path, entry=choose_entry(listing, cell.datapath, asked.entry or None),
        settings=read_settings(listing, maps), frames=frames_of(cell, asked.traffic, folder),
    )  # fmt: skip


def frames_of(cell: Cell, traffic: str, folder: Path) -> Frames | None:
    """Find the frames to replay: those of a file, and in serial mode all.

    There generator and device share a core. As `linerate fits` has the same frames replayed, its
    answers and these rates are of the same path. In split mode the generator stamps its own.

    Parameters
    ----------
    cell
        Whose program is one of the user's own.
    traffic
        Path of that file; empty for the cell's ordinary frames.
    folder
        Where it begins.
    """
    if traffic:
        return read_frames(folder / traffic)
    if cell.mode == "split":
        return None
    slots = [size for weight, size in cell.load.frame_mix for _ in range(weight)]
    return of_slots(slots, cell.load.flows)


def described(cell: Cell, folder: Path) -> Cell:
    """Say of a cell with frames of a file how large they are, and what the link takes of them."""
    return with_frames(cell, settings_of(cell).traffic, folder) if is_own(cell.program) else cell


def with_frames(cell: Cell, traffic: str, folder: Path) -> Cell:
    """Say the same of any cell with that file; of one without nothing is said."""
    if not traffic:
        return cell
    frames = read_frames(folder / traffic)
    return replace(cell, load=_load_of(cell.load, frames, cell.link_gbps))


def _load_of(load: Load, frames: Frames, link_gbps: float) -> Load:
    sizes: Counter[int] = Counter()
    for packet, weight in zip(frames.packets, frames.weights, strict=True):
        sizes[int(frame_bytes_of(len(packet)))] += weight
    divisor = gcd(*sizes.values())
    mix = tuple((weight // divisor, size) for size, weight in sorted(sizes.items()))
    if load.arrivals == "flood":
        return replace(load, frame_mix=mix)
    line_mpps = float(line_rate_mpps(link_gbps, frames.mean_frame_bytes))
    return replace(load, frame_mix=mix, offered_mpps=min(load.offered_mpps, round(line_mpps, 6)))
