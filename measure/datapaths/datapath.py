"""A datapath: what one folder says of itself, for everything that asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Literal

from linerate.cells import Cell
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.labs.nic import NicSite
from linerate.measure.trials.bench import Bench

Cost = Literal["accesses", "operations", "program"]
"""What a packet's cost depends on: accesses that a program makes, the operations that it executes,
or nothing that a campaign varies but the program itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Where a cell is measured."""

    folder: Path = Path()
    """Where paths of the user's own programs begin."""
    nic: NicTable | None = None
    """Interfaces and hosts of the nic lab."""
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
    return LabBench(check=lambda cell, where: check(cell), open=lambda cell, where: open(cell))


@dataclass(frozen=True, slots=True, kw_only=True)
class Datapath:
    """One datapath; each module ``datapath.py`` of a folder beside this one lists its own."""

    name: str
    programs: tuple[str, ...]
    """Programs of ours that it runs."""
    own: tuple[str, ...] = ()
    """Suffixes of the user's own files that it takes as programs."""
    settings: str = ""
    """Key of its table of settings in a campaign file; empty where it has none."""
    labs: Mapping[str, LabBench] = field(default_factory=lambda: MappingProxyType({}))
    """Bench of each lab that it runs in."""
    needs: tuple[str, ...] = ()
    """Findings of the doctor that it cannot do without."""
    cost: Cost
    """Which model its runs go to."""
    place: int = 100
    """Where it stands in lists."""

    def takes(self, program: str) -> bool:
        """Whether it runs a program of this name, or takes a file of this kind."""
        return program in self.programs or bool(self.own and program.endswith(self.own))


def is_file(program: str) -> bool:
    """Whether a program's name is the path of the user's own file.

    >>> is_file("mine/router.spec"), is_file("map_lookup")
    (True, False)
    """
    return bool(PurePath(program).suffix)
