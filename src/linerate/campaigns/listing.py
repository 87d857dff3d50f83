"""What is in a store: a manifest for each campaign, and what cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd
from pyarrow import fs as file_systems

from linerate.campaigns.manifest import FOLDER, Manifest, in_path, read_manifest
from linerate.campaigns.places import Place

LISTED = (
    "campaign_id", "campaign", "box", "kernel", "cpu_model", "commit", "started_at", "ended_at",
    "runs", "datapaths", "programs", "size_bytes", "added_at",
)  # fmt: skip
"""Columns of the table of campaigns."""
MANIFEST_BYTES_MAX = 1024**2
"""A larger one is not read: it names a campaign, and not its runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A file of the store that is not what it must be."""

    path: str
    """From the root of the store."""
    why: str
    campaign: str = ""
    """Whose it is; empty where that cannot be read."""

    def __str__(self) -> str:
        whose = f" of campaign {self.campaign}" if self.campaign else ""
        return f"{self.path}{whose}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The campaigns of a store."""

    manifests: tuple[Manifest, ...]
    """The earliest first."""
    broken: tuple[Broken, ...]
    """Manifests that could not be read."""

    @property
    def table(self) -> pd.DataFrame:
        """A row for each campaign; lists of names joined by ``+``."""
        rows = [_row(one) for one in self.manifests]
        return pd.DataFrame(rows, columns=list(LISTED))


def list_campaigns(
    place: Place, boxes: Collection[str] | None, identity: str = ""
) -> Listing:  # fmt: skip
    """Read the manifests of these boxes, or of all; of two of one campaign the later counts.

    Parameters
    ----------
    place
        Where the store is.
    boxes
        Their names; None for all.
    identity
        Of the only campaign to read; all if left out.
    """
    folders = [FOLDER] if boxes is None else [f"{FOLDER}/{in_path(box)}" for box in boxes]
    found: dict[str, Manifest] = {}
    broken = []
    listed = ((path, size) for folder in folders for path, size in place.sizes(folder).items())
    for path, size_bytes in listed:
        if not (path.endswith(".json") and path.rpartition("/")[2].startswith(identity)):
            continue  # another, or one that is being written
        if size_bytes > MANIFEST_BYTES_MAX:
            broken.append(Broken(path=path, why=f"it has {size_bytes} bytes"))
            continue
        try:
            manifest = read_manifest(place.read(path))
        except FileNotFoundError:
            continue  # replaced since it was listed
        except (OSError, ValueError) as error:
            broken.append(Broken(path=path, why=first_line(error)))
            continue
        other = found.get(manifest.id)
        if other is None or other.added_at < manifest.added_at:
            found[manifest.id] = manifest
    earliest = sorted(found.values(), key=lambda one: (one.started_at or "", one.added_at))
    return Listing(manifests=tuple(earliest), broken=tuple(broken))


def whole_parts(
    place: Place, manifests: Sequence[Manifest]
) -> tuple[tuple[Manifest, ...], tuple[Broken, ...]]:
    """Part campaigns whose file of runs has its size from those whose has not, or is not there."""
    found = place.system.get_file_info([place.path(one.part) for one in manifests])
    whole, broken = [], []
    for one, file in zip(manifests, found, strict=True):
        if file.type == file_systems.FileType.NotFound:
            broken.append(Broken(path=one.part, campaign=one.campaign, why="it is not there"))
        elif file.size != one.size_bytes:
            why = f"it has {file.size} of {one.size_bytes} bytes"
            broken.append(Broken(path=one.part, campaign=one.campaign, why=why))
        else:
            whole.append(one)
    return tuple(whole), tuple(broken)


def notes_of(broken: Iterable[Broken]) -> Iterator[str]:
    """Say what was left out, a sentence each."""
    return (f"left out: {one}" for one in broken)


def _row(manifest: Manifest) -> dict[str, Any]:
    fields: dict[str, Any] = {"campaign_id": manifest.id}
    fields |= {name: value for name, value in asdict(manifest).items() if name in LISTED}
    return fields | {name: "+".join(fields[name]) for name in ("datapaths", "programs")}


def first_line(error: Exception) -> str:
    """Take the first line of what an error says; its kind where it says nothing."""
    return (str(error).splitlines() or [type(error).__name__])[0]
