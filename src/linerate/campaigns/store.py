"""The store itself: campaigns are added, listed, and read as one table of runs."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from linerate.campaigns.listing import Listing, list_campaigns
from linerate.campaigns.manifest import SCHEMA_VERSION, Manifest, Origin, manifest_of
from linerate.campaigns.marker import check_store, mark
from linerate.campaigns.parts import canonical, part_of, rows_hash
from linerate.campaigns.places import Place, place_of
from linerate.campaigns.queries import Answer, answer
from linerate.campaigns.reading import read_parts
from linerate.campaigns.verified import Verified, verify
from linerate.errors import BadInputError, bad_input
from linerate.files.store import Store
from linerate.progress import Tell, telling
from linerate.tables.measured import Runs, levels_of
from linerate.tables.runs import read_runs

State = Literal["added", "there already", "replaced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """One campaign on one box, and what became of it."""

    state: State
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class CampaignStore:
    """Many campaigns in one place.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     lab = store(folder)
    ...     added = lab.add("data/reference-veth")
    ...     print(len(lab.runs(datapath="xdp_native", queues=[1, 2])))
    360
    """

    place: Place

    def add(
        self, *paths: str | os.PathLike[str], commit: str | None = None, again: bool = False,
        progress: bool = False,
    ) -> tuple[Added, ...]:  # fmt: skip
        """Add campaigns; many processes may do so at once.

        Parameters
        ----------
        *paths
            Folders of measured campaigns, or tables of runs.
        commit
            What was measured, where runs are to be ordered by it; linerate's own revision if left
            out.
        again
            Whether a campaign that is there with other runs is replaced: one that was resumed.
        progress
            Whether to show a bar.

        Returns
        -------
        One entry for each campaign and box. What is there already is left as it is.

        Raises
        ------
        BadInputError
            No table of runs, runs of a newer linerate, or a campaign that is there with other runs.
        LinerateError
            The place cannot be written.
        """
        mark(self.place)
        with telling(shown=progress) as tell:
            return tuple(self._add_each([Path(path) for path in paths], commit, again, tell))

    def listing(self, boxes: Collection[str] | None = None) -> Listing:
        """List the campaigns, the earliest first, and what cannot be read of them.

        Parameters
        ----------
        boxes
            Names of boxes to look at; all if left out.
        """
        check_store(self.place)
        return list_campaigns(self.place, boxes)

    def campaigns(self) -> pd.DataFrame:
        """List the campaigns, one row each: columns of ``docs/store.md``."""
        return self.listing().table

    def runs(self, *, columns: Sequence[str] | None = None, **values: object) -> Runs:
        """Read the runs whose columns have these values; only their files are opened.

        Parameters
        ----------
        columns
            Columns to read beside those that every table has; all if left out.
        **values
            A value, or a collection of values, for each column that is named: of runs, or
            ``campaign_id``, ``kernel``, ``commit`` of their campaign.

        Returns
        -------
        Runs with a column ``campaign_id``. What could not be read is in their ``notes``.

        Raises
        ------
        BadInputError
            No such column, or no such runs.
        LinerateError
            There is no store, or none of it can be read.
        """
        boxes = {str(box) for box in levels_of(values["box"])} if "box" in values else None
        listing = self.listing(boxes)
        found = read_parts(self.place, listing, columns, values)
        return replace(found, sources=(Path(self.place.name),))

    def query(self, sql: str) -> Answer:
        """Answer a question in SQL over tables ``runs`` and ``campaigns``; nothing is written.

        Raises
        ------
        BadInputError
            No single question, or one that DuckDB does not understand or may not answer.
        CannotHereError
            DuckDB is not installed.
        """
        return answer(self.place, self.listing(), sql)

    def verify(self, *, progress: bool = False) -> Verified:
        """Read every file, and name those that are not as they were written.

        Parameters
        ----------
        progress
            Whether to show a bar.
        """
        with telling(shown=progress) as tell:
            return verify(self.place, self.listing(), tell)

    def _add_each(
        self, paths: Sequence[Path], commit: str | None, again: bool, tell: Tell
    ) -> Iterator[Added]:
        for done, path in enumerate(paths):
            tell(path.name, done, len(paths))
            origin = _origin(path, commit)
            for runs in _apart(_checked(path)):
                yield self.put(runs, origin, again=again)
        tell("", len(paths), len(paths))

    def put(self, runs: pd.DataFrame, origin: Origin, *, again: bool = False) -> Added:
        """Add the runs of one campaign on one box, as ``add`` does.

        Parameters
        ----------
        runs
            Checked runs.
        origin
            What their table does not say of them.
        again
            Whether a campaign that is there with other runs is replaced.
        """
        table = canonical(runs)
        manifest = manifest_of(runs, origin, rows_hash(table))
        there = list_campaigns(self.place, {manifest.box}, manifest.id).manifests
        if any(one.rows_hash == manifest.rows_hash for one in there):
            return Added(state="there already", manifest=there[0])
        if there and not again:
            raise bad_input(
                "campaign", manifest.campaign, why=f"the store has it with {there[0].runs} other "
                f"runs, begun on {manifest.box} at {manifest.started_at}", allowed="a campaign "
                "that is not there", do="add --replace to put these in their place",
            )  # fmt: skip
        whole, content = part_of(table, manifest)
        # In this order: what a manifest names is there, whenever a process ends.
        self.place.put(whole.part, content)
        self.place.put(whole.path, whole.to_json())
        for one in there:
            self.place.drop(one.path)
            self.place.drop(one.part)
        return Added(state="replaced" if there else "added", manifest=whole)


def store(path: str | os.PathLike[str]) -> CampaignStore:
    """Open a store of many campaigns, or name the place of a new one.

    Parameters
    ----------
    path
        A folder, or an address that fsspec knows, such as ``sftp://host/folder``.

    Raises
    ------
    BadInputError
        An address that is not understood.
    CannotHereError
        An address, and what it needs is not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     [one] = store(folder).add("data/reference-veth")
    ...     print(one.state, one.manifest.runs)
    added 720
    """
    return CampaignStore(place_of(path))


def _checked(path: Path) -> pd.DataFrame:
    """Read runs, and refuse those whose columns may mean something else."""
    runs = read_runs([path])
    if "schema_version" in runs.columns:
        version = pd.to_numeric(runs["schema_version"]).max()
        if version > SCHEMA_VERSION:
            raise bad_input(
                "schema_version", int(version), why=f"{path} is of a newer linerate",
                allowed=f"up to {SCHEMA_VERSION}", do="update linerate",
            )  # fmt: skip
    return runs


def _apart(runs: pd.DataFrame) -> Iterable[pd.DataFrame]:
    for _, own in runs.groupby(["box", "campaign"], sort=False):
        yield own.reset_index(drop=True)


def _origin(path: Path, commit: str | None) -> Origin:
    """Read what the folder of a campaign says of its machine."""
    with suppress(BadInputError):
        box = Store(path).box()
        return Origin(kernel=box.kernel, cpu_model=box.cpu_model, commit=commit)
    return Origin(commit=commit)
