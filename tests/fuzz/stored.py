"""What reads stores of campaigns, their trends, and lists of commits."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

import linerate as lr
from linerate.campaigns.manifest import Manifest, Origin
from linerate.campaigns.store import CampaignStore
from linerate.cli.runs.trend import _commits
from linerate.errors import LinerateError

from .reader import ROOT, Reader

SQL = "select campaign, count(*), max(forwarded_mpps) from runs group by campaign"
CAMPAIGNS, STEP_AT = 12, 7
CELL = {"datapath": "xdp_native", "memory_accesses": 400}


@cache
def _rows() -> pd.DataFrame:
    """Runs of one cell of the reference campaign."""
    runs = lr.read(ROOT / "data/reference-veth").filter(frame_bytes=64, queues=1, **CELL).table
    return runs.head(3).reset_index(drop=True)


def _campaign(number: int) -> pd.DataFrame:
    slower = 0.9 if number >= STEP_AT else 1.0
    noise = np.random.default_rng(number).normal(1.0, 0.004, len(_rows()))
    rates = _rows()["forwarded_mpps"] * slower * noise
    return _rows().assign(
        campaign=f"night-{number}", started_at=f"2026-11-{number + 1:02}T01:00:00+00:00",
        git_revision=f"c0ffee{number:02}", forwarded_mpps=rates,
    )  # fmt: skip


@cache
def _store() -> tuple[CampaignStore, Manifest, Path]:
    """Make a store of two campaigns, once for this process; the second one is what is changed."""
    folder = _folder() / "lab"
    store = lr.store(folder)
    store.add()
    manifests = [store.put(_campaign(n), Origin(kernel="6.18")).manifest for n in (1, 2)]
    return store, manifests[1], folder


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Hold a folder until this process ends."""
    return tempfile.TemporaryDirectory(prefix="linerate-fuzz-store-")


def _folder() -> Path:
    return Path(_kept().name)


def _asked(store: CampaignStore) -> object:
    """Ask a store all that there is; the other campaign must answer whatever this one says.

    Raises
    ------
    LinerateError
        What was left out.
    """
    listed = store.campaigns().to_dict("records")
    runs = store.runs()
    if "night-1" not in set(runs.table["campaign"]):
        raise AssertionError("another campaign is lost")
    found = listed, store.query(SQL).notes, store.verify()
    if runs.notes:
        raise LinerateError(runs.notes[0])
    return found


def _read_manifest(path: Path) -> object:
    store, manifest, folder = _store()
    kept = folder / manifest.path
    whole = kept.read_bytes()
    try:
        kept.write_bytes(path.read_bytes())
        return _asked(store)
    finally:
        kept.write_bytes(whole)


def _read_part(path: Path) -> object:
    """Take a table for the part of a campaign, with the right hash: a whole one of a stranger."""
    store, manifest, folder = _store()
    try:
        table = pa.Table.from_pandas(pd.read_csv(path, nrows=1000), preserve_index=False)
        sink = io.BytesIO()
        parquet.write_table(table, sink)
    except Exception as error:  # pandas' and pyarrow's own: such a part cannot be made
        raise LinerateError("no table") from error
    content, part = sink.getvalue(), folder / manifest.part
    own = replace(manifest, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
    kept, whole = folder / manifest.path, part.read_bytes()
    try:
        part.write_bytes(content)
        kept.write_bytes(own.to_json())
        return _asked(store)
    finally:
        part.write_bytes(whole)
        kept.write_bytes(manifest.to_json())


def _manifests() -> list[bytes]:
    _, manifest, _ = _store()
    own = {"own_setting": "int64", "fragments_percent": "double", "named": "string"}
    return [manifest.to_json(), json.dumps(asdict(replace(manifest, columns=own))).encode()]


def _parts() -> list[bytes]:
    _, manifest, folder = _store()
    table = pd.read_parquet(folder / manifest.part).dropna(axis="columns", how="all")
    return [table.to_csv(index=False).encode()]


def _series() -> list[bytes]:
    runs = pd.concat([_campaign(number) for number in range(CAMPAIGNS)])
    return [runs.to_csv(index=False).encode()]


def _read_trend(path: Path) -> object:
    found = [lr.trend(path, by=by) for by in ("date", "commit")]
    return [(each.to_dict(), *each.lines()) for each in found]


def _read_commits(path: Path) -> object:
    """List commits as a user does, and ask which of them to measure next."""
    return list(lr.bisect(_series_store(), commits=_commits(path)).lines())


@cache
def _series_store() -> str:
    """Make a store of these campaigns, once for this process."""
    series = lr.store(_folder() / "series")
    series.add()
    for number in range(CAMPAIGNS):
        series.put(_campaign(number), Origin())
    return series.place.name


READERS = (
    Reader("store-manifest", "manifest.json", _read_manifest, _manifests, files=4),
    Reader("store-part", "part.csv", _read_part, _parts, files=4),
    Reader("trend", "runs.csv", _read_trend, _series, files=4),
    Reader("commits", "commits", _read_commits,
           lambda: ["".join(f"c0ffee{n:02} said\n" for n in range(CAMPAIGNS)).encode()], files=4),
)  # fmt: skip
