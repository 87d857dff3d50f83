"""Two campaigns that are compared: their names, their runs, and what the models make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from linerate.box import Box
from linerate.errors import bad_input
from linerate.models.contrast import Contrast, contrast
from linerate.models.shifts import Shift, shifts
from linerate.reports.language.names import printable
from linerate.reports.section import Section, Source
from linerate.reports.section.rows import without_curves
from linerate.reports.section.source import box_of, boxes_apart


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """Two campaigns, the second seen from the first."""

    names: tuple[str, str]
    """As the report calls them."""
    sections: tuple[Section, Section]
    """Their runs, of one machine each, without a model."""
    found: Contrast
    shifts: tuple[Shift, ...] = ()
    """Constants of a packet's cost in both; none where no capacity can be fitted to either."""

    @property
    def both(self) -> Section:
        """The runs of both, where figures look for what stands behind them."""
        runs = pd.concat([one.runs for one in self.sections], ignore_index=True)
        boxes = dict.fromkeys(one.box_name for one in self.sections)
        return bare(runs.assign(box=", ".join(boxes)))


def compared_of(sources: Sequence[Source]) -> Compared:
    """Compare two sources.

    Raises
    ------
    BadInputError
        Not two, the same twice, one of several machines, or no cell in common.
    """
    paths = [source.path for source in sources]
    if len(paths) != 2 or paths[0].resolve() == paths[1].resolve():
        raise bad_input("runs", " ".join(map(str, paths)), why="two campaigns are compared",
                        allowed="two folders or tables",
                        do="name the earlier one first")  # fmt: skip
    first, second = (_section(source) for source in sources)
    return compared_sections(names_of(*paths), first, second)


def compared_sections(names: tuple[str, str], first: Section, second: Section) -> Compared:
    """Compare the runs of two sections, each of one side.

    Raises
    ------
    BadInputError
        No cell in common.
    """
    runs = without_curves(first.runs), without_curves(second.runs)
    return Compared(names=names, sections=(first, second), found=contrast(*runs),
                    shifts=shifts(*runs))  # fmt: skip


def _section(source: Source) -> Section:
    """Take the runs of a source, which must be of one machine."""
    machines = boxes_apart([source])
    if len(machines) != 1:
        boxes = ", ".join(sorted({str(runs["box"].iloc[0]) for runs in machines}))
        raise bad_input("runs", source.path, why=f"{len(machines)} machines are in it ({boxes})",
                        allowed="one machine for each side", do="take a campaign apart by its "
                        "columns box and box_hash")  # fmt: skip
    runs = machines[0]
    return bare(runs, box=box_of(runs, [source]), notes=source.notes)


def bare(runs: pd.DataFrame, *, box: Box | None = None, notes: tuple[str, ...] = ()) -> Section:
    """Take runs without a model."""
    return Section(runs=runs, training=None, file=None, validation=None, latency=None, box=box,
                   notes=notes)  # fmt: skip


def names_of(first: Path, second: Path) -> tuple[str, str]:
    """Name two paths by the last part in which they differ.

    >>> names_of(Path("results/monday/runs.csv"), Path("results/tuesday/runs.csv"))
    ('monday', 'tuesday')
    >>> names_of(Path("results"), Path("more/results"))
    ('results', 'more/results')
    """
    for one, other in zip_longest(reversed(first.parts), reversed(second.parts)):
        if one is None or other is None:
            break
        if one != other:
            return printable(one), printable(other)
    return printable(str(first)), printable(str(second))
