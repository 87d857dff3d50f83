"""What a store knows of a campaign without opening its runs: one small file for each."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

import pandas as pd
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import from_json

SCHEMA_VERSION = 1
"""Of a manifest, and of the columns of its part; what a store of a newer linerate has is more."""
FOLDER = "campaigns"
NAME_CHARACTERS_MAX = 100
"""Of a name in a path: what is longer is cut, and told from others by its hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What no table of runs says of its campaign."""

    kernel: str | None = None
    cpu_model: str | None = None
    commit: str | None = None
    """Of what was measured, if the user named one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One campaign on one box: what it is, where its runs are, and what their file must be."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    schema_version: int
    id: str
    """Of a campaign as it was begun: box, name, machine, first start; 16 hex digits."""
    campaign: str
    box: str
    kernel: str | None
    cpu_model: str | None
    commit: str | None
    """As the user named it, else linerate's own revision that measured."""
    started_at: str | None
    """UTC start of the first run."""
    ended_at: str | None
    """UTC start of the last run."""
    runs: int
    datapaths: tuple[str, ...]
    programs: tuple[str, ...]
    rows_hash: str
    """SHA-256 of the rows, whatever file holds them."""
    part: str
    """Path of the runs from the root of the store."""
    sha256: str
    """Of that file."""
    size_bytes: int
    columns: Mapping[str, str] = field(default_factory=dict)
    """Type of each column that data/README.md does not name: a datapath's settings."""
    added_at: str

    @property
    def path(self) -> str:
        """Path of the manifest from the root of the store."""
        return f"{FOLDER}/{in_path(self.box)}/{self.id}-{self.rows_hash[:12]}.json"

    def to_json(self) -> bytes:
        """Write it as one line."""
        return json.dumps(asdict(self)).encode() + b"\n"


_MANIFEST = TypeAdapter(Manifest)
_HEX = re.compile("[0-9a-f]{16,64}")


def manifest_of(runs: pd.DataFrame, origin: Origin, digest: str) -> Manifest:
    """Describe runs of one campaign on one box; its part is not written yet.

    Parameters
    ----------
    runs
        Checked runs, one campaign and one box in all rows.
    origin
        What else is known of them.
    digest
        Hash of the rows.
    """
    campaign, box = str(runs["campaign"].iloc[0]), str(runs["box"].iloc[0])
    starts = _texts(runs, "started_at")
    begun = json.dumps([box, campaign, _texts(runs, "box_hash"), starts[0] if starts else digest])
    identity = hashlib.sha256(begun.encode()).hexdigest()[:16]
    commits = _texts(runs, "git_revision")
    return Manifest(
        schema_version=SCHEMA_VERSION, id=identity, campaign=campaign, box=box,
        kernel=origin.kernel, cpu_model=origin.cpu_model,
        commit=origin.commit or (commits[-1] if commits else None),
        started_at=starts[0] if starts else None, ended_at=starts[-1] if starts else None,
        runs=len(runs), datapaths=_texts(runs, "datapath"), programs=_texts(runs, "program"),
        rows_hash=digest, sha256="", size_bytes=0,
        part=_part(box, campaign, identity, digest),
        added_at=datetime.now(UTC).isoformat(timespec="microseconds"),
    )  # fmt: skip


def read_manifest(content: bytes) -> Manifest:
    """Read a manifest.

    Raises
    ------
    ValueError
        It is none, or of a newer linerate; the message says which.
    """
    found = from_json(content)
    version = found.get("schema_version") if isinstance(found, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise ValueError(f"it is of a newer linerate (schema {version}, this one reads up to "
                         f"{SCHEMA_VERSION}); update linerate")  # fmt: skip
    try:
        manifest = _MANIFEST.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from error
    # It may be somebody else's: no other file is read, or dropped, in its name.
    hashes = _HEX.fullmatch(manifest.id) and _HEX.fullmatch(manifest.rows_hash)
    if not hashes or manifest.part != _part(
        manifest.box, manifest.campaign, manifest.id, manifest.rows_hash
    ):
        raise ValueError("part: it is not where the runs of this campaign lie")
    return manifest


def _part(box: str, campaign: str, identity: str, digest: str) -> str:
    return (f"runs/box={in_path(box)}/campaign={in_path(campaign)}/"
            f"{identity}-{digest[:12]}.parquet")  # fmt: skip


def in_path(name: str) -> str:
    """Write a name so that it is one part of a path in any file system.

    >>> in_path("AMD EPYC/2")
    'AMD%20EPYC%2F2'
    """
    safe = quote(name, safe="").replace(".", "%2E")
    if len(safe) <= NAME_CHARACTERS_MAX:
        return safe
    return f"{safe[:NAME_CHARACTERS_MAX]}~{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def _texts(runs: pd.DataFrame, column: str) -> tuple[str, ...]:
    """List the values of a column, sorted."""
    if column not in runs.columns:
        return ()
    return tuple(sorted(map(str, runs[column].dropna().unique())))
