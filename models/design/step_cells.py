"""Cells that differ by what their packets execute, and may be measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import PurePath

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.models.operations.own import is_own
from linerate.models.operations.rulesets import RULESETS
from linerate.models.operations.runs import works_of
from linerate.models.operations.work import Operations, Work, operations_in
from linerate.models.runs.cells import Array
from linerate.tables.costs import cost_of
from linerate.tables.settings_columns import own_settings
from linerate.units import line_rate_mpps

NUMBERS_MAX = 3
"""Numbers of a kind that are combined: the least, the middle and the most that were measured."""
NAMED = ("datapath", "program", "operations", "working_set_bytes", "flows", "queues",
         "frame_bytes", "link_gbps", "offered_mpps")  # fmt: skip
"""Columns of a cell that say what its packets execute, and what else limits its rate."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepCells:
    """n cells, each of another work; arrays have shape (n,)."""

    table: pd.DataFrame
    """A row each: what a campaign would name."""
    works: tuple[Work, ...]

    @classmethod
    def of(cls, table: pd.DataFrame) -> StepCells:
        """Take the first row of each work of a table.

        Raises
        ------
        BadInputError
            A ruleset or pipeline of the user's own of which no run says what its packets execute.
        """
        named = [name for name in (*NAMED, *own_settings(table)) if name in table.columns]
        cells = table[named].drop_duplicates()
        _refuse_unread(cells.assign(cost=cost_of(table)))
        works = pd.Series(works_of(cells), index=cells.index, dtype=object)
        first = ~works.duplicated()
        kept = cells[first].dropna(axis="columns", how="all").reset_index(drop=True)
        return cls(table=kept, works=tuple(works[first]))

    @property
    def queues(self) -> Array:
        """Cores of each."""
        queues: Array = self.table["queues"].to_numpy(dtype=np.float64)
        return queues

    @property
    def ceiling_mpps(self) -> Array:
        """What the line carries, or what comes where that is less; inf where nothing limits."""
        line = np.asarray(line_rate_mpps(self.table["link_gbps"], self.table["frame_bytes"]))
        if "offered_mpps" not in self.table.columns:
            return line
        return np.asarray(np.fmin(line, self.table["offered_mpps"].to_numpy(dtype=np.float64)))


def _refuse_unread(cells: pd.DataFrame) -> None:
    """Refuse files whose packets execute what no cell says."""
    by_file = cells["program"].map(lambda name: PurePath(str(name)).suffix != "")
    own = cells["datapath"].isin(RULESETS) | cells["cost"].eq("operations")
    for _, row in cells[by_file & own].iterrows():
        if not is_own(operations_in(str(row.get("operations", ""))) or ()):
            raise bad_input(
                "cells", f"{row['datapath']}/{row['program']}",
                why="what its packets execute is known once it was measured",
                allowed="cells that name their operations, or runs of such files",
                do="measure the file once, and plan with its runs: linerate plan RUNS --budget N",
            )  # fmt: skip


def crossed_steps(runs: pd.DataFrame) -> StepCells:
    """Combine what runs show: each kind alone, and each two kinds of a program together.

    Generated programs execute any mix, so their kinds are crossed in up to three of the numbers
    that were measured. Chains, filters, and files of the user's own stay as they were measured.

    Parameters
    ----------
    runs
        Runs whose packets differ by what they execute.
    """
    seen = StepCells.of(runs).table.assign(settings="+".join(own_settings(runs)))
    parts = [seen]
    for _, own in seen.groupby(["datapath", "program"], sort=False):
        works = works_of(own)
        usual = min(
            range(len(own)), key=lambda row: (len(works[row].settings), works[row].set_bytes)
        )
        mixes = [] if _as_measured(own) else list(_mixes(works))
        if mixes:
            template = own.iloc[[usual] * len(mixes)]
            parts.append(template.assign(operations=[json.dumps(dict(mix)) for mix in mixes]))
    return StepCells.of(pd.concat(parts, ignore_index=True))


def _as_measured(own: pd.DataFrame) -> bool:
    """Whether the operations of a program follow from its file, or it has none."""
    if "operations" not in own.columns or PurePath(str(own["program"].iloc[0])).suffix:
        return True
    return str(own["datapath"].iloc[0]) == "chain"


def _mixes(works: list[Work]) -> Iterator[Operations]:
    numbers: dict[str, set[int]] = {}
    for work in works:
        for kind, times in work.steps if work.scope != "filter" else ():
            numbers.setdefault(kind, set()).add(times)
    chosen = {kind: _spread_out(sorted(known)) for kind, known in sorted(numbers.items())}
    yield from (((kind, times),) for kind, known in chosen.items() for times in known)
    for one, other in combinations(chosen, 2):
        for first, second in product(chosen[one], chosen[other]):
            yield (one, first), (other, second)


def _spread_out(numbers: list[int]) -> list[int]:
    """Keep the least, the most, and what is in the middle.

    >>> _spread_out([1, 2, 5, 10, 50]), _spread_out([1, 2])
    ([1, 5, 50], [1, 2])
    """
    at = np.unique(np.linspace(0, len(numbers) - 1, NUMBERS_MAX).round().astype(int))
    return [numbers[place] for place in at]
