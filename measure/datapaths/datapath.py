"""A datapath: what one folder says of itself, for everything that asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.labs.nic import NicSite
from linerate.measure.trials.bench import Bench
from linerate.settings import SettingsType

Cost = Literal["accesses", "operations", "program"]
"""What a packet's cost depends on: accesses that a program makes, the operations that it executes,
or nothing that a campaign varies but the program itself."""
Rule = Callable[..., None]
"""Takes a block of a campaign file, and refuses what does not go together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where a cell is measured."""

    folder: Path = Path()
    """Where paths of the user's own programs begin."""
    nic: NicTable | None = None
    """Interfaces and hosts of the nic lab."""
    program: Path | None = None
    """The user's own program, a file that is there; None for one of ours."""
    site: NicSite | None = None
    """The same, reached; None while cells are only checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabBench:
    """How a datapath is measured in one lab."""

    check: Callable[[Cell, Where], None]
    """Refuses, before anything is measured, what cannot run on this machine."""
    open: Callable[[Cell, Where], AbstractContextManager[Bench]]
    """Loads a cell's program anew; all of it is gone when the context ends."""


def of_cell(
    check: Callable[[Cell], None], open: Callable[[Cell], AbstractContextManager[Bench]]
) -> LabBench:
    """Make a bench of functions that need to know nothing but the cell."""

    def check_it(cell: Cell, where: Where) -> None:
        refuse_own(cell, where)
        check(cell)

    return LabBench(check=check_it, open=lambda cell, where: open(cell))


def or_own(ours: LabBench, own: LabBench) -> LabBench:
    """Make a bench that takes programs of ours by one, and those of the user's own by another."""

    def of(where: Where) -> LabBench:
        return ours if where.program is None else own

    return LabBench(
        check=lambda cell, where: of(where).check(cell, where),
        open=lambda cell, where: of(where).open(cell, where),
    )


def refuse_own(cell: Cell, where: Where) -> None:
    """Refuse the user's own program where a bench does not look at ``Where.program``.

    Raises
    ------
    BadInputError
        The cell has one.
    """
    if where.program is not None:
        raise bad_input(
            "program", cell.program, why=f"{cell.datapath} does not load objects of your own "
            f"in the {cell.lab} lab yet", allowed="its programs by name; objects on "
            "xdp_native, xdp_generic and tc", do="use one of these",
        )  # fmt: skip


def _as_it_is(cell: Cell, folder: Path) -> Cell:
    return cell


def _unknown(program: str) -> tuple[str, ...]:
    return ()


def _all_on_top(cell: Cell) -> Cell:
    return cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Datapath:
    """One datapath; each module ``datapath.py`` of a folder beside this one lists its own."""

    name: str
    programs: tuple[str, ...]
    """Programs of ours that it runs."""
    sources: Callable[[str], tuple[str, ...]] = _unknown
    """Names what one of these is built from: files, and folders, from the root of linerate."""
    own: tuple[str, ...] = ()
    """Suffixes of the user's own files that it takes as programs."""
    label: str = ""
    """How a report names it; empty where that is its name."""
    settings: type[SettingsType] | None = None
    """Its settings: keys of a campaign file, columns of tables, and words of reports."""
    own_settings: type[SettingsType] | None = None
    """Those of the user's own programs, where these are others."""
    rules: tuple[Rule, ...] = ()
    """What a campaign may not ask of it."""
    operations: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Kinds of operation that its programs can be asked for, and the most of each."""
    described: Callable[[Cell, Path], Cell] = _as_it_is
    """Says of a cell with the user's own program what a packet executes there."""
    executed: Callable[[Cell], Cell] = _all_on_top
    """Says of a cell with a program that is written for it the same, where what was asked for is
    not all."""
    labs: Mapping[str, LabBench] = field(default_factory=lambda: MappingProxyType({}))
    """Bench of each lab that it runs in."""
    needs: tuple[str, ...] = ()
    """Findings of the doctor that it cannot do without."""
    cost: Cost
    """Which model its runs go to."""
    own_cost: Cost | None = None
    """The same of the user's own programs, where it is another."""
    place: int = 100
    """Where it stands in lists."""
