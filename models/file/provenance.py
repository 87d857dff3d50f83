"""Where a fitted model's numbers come from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a model's numbers come from."""

    campaigns: tuple[str, ...]
    boxes: tuple[str, ...]
    labs: tuple[str, ...]
    """Labs and modes of the runs; empty where the table does not say."""
    runs: int
    """Rows fitted on."""
    notes: tuple[str, ...]
    """What was left out, and what the runs could not tell."""
    linerate_version: str
    fitted_at: str
    """UTC, ISO 8601."""
    box_hashes: tuple[str, ...] = ()
    """Hashes of the boxes' checked metadata; empty where the table does not say."""
    revisions: tuple[str, ...] = ()
    """Revisions of linerate that measured; empty where the table does not say."""
    table_sha256: str = ""
    """Hash of the table of runs as it was read, rows that were left out included: of the names of
    its columns as JSON, and of what ``pandas.util.hash_pandas_object`` makes of each row."""

    def other_machine(self, runs: pd.DataFrame) -> tuple[str, ...]:
        """Say where runs are of another box or mode than the model's."""
        boxes, modes = _distinct(runs, "box"), _labs(runs)
        pairs = (("box", self.boxes, boxes), ("lab and mode", self.labs, modes))
        return tuple(
            f"the model is of {what} {', '.join(own)}, these runs of {', '.join(new)}: what "
            "differs need not be drift"
            for what, own, new in pairs if own and new and not set(new) <= set(own)
        )  # fmt: skip


def provenance_of(runs: pd.DataFrame, *, fitted_on: int, notes: tuple[str, ...]) -> Provenance:
    """Read campaigns, boxes, labs and revisions off a table of runs."""
    from importlib.metadata import version  # slow to load

    return Provenance(
        campaigns=_distinct(runs, "campaign"), boxes=_distinct(runs, "box"),
        labs=_labs(runs),
        runs=fitted_on, notes=notes, linerate_version=version("linerate"),
        fitted_at=pd.Timestamp.now("UTC").isoformat(timespec="seconds"),
        box_hashes=_distinct(runs, "box_hash"), revisions=_distinct(runs, "git_revision"),
        table_sha256=_sha256(runs),
    )  # fmt: skip


def _sha256(runs: pd.DataFrame) -> str:
    """Hash names of columns and the hash of each row, so that no value has to be spelled."""
    found = hashlib.sha256(json.dumps(list(runs.columns)).encode())
    found.update(pd.util.hash_pandas_object(runs, index=False).to_numpy().tobytes())
    return found.hexdigest()


def _labs(runs: pd.DataFrame) -> tuple[str, ...]:
    labs = runs[[name for name in ("lab", "mode") if name in runs.columns]].drop_duplicates()
    return tuple(" ".join(map(str, row)) for row in labs.to_numpy()) if labs.shape[1] else ()


def _distinct(runs: pd.DataFrame, column: str) -> tuple[str, ...]:
    known = runs[column].dropna().unique() if column in runs.columns else ()
    return tuple(sorted(map(str, known)))
