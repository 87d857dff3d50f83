"""A plan: runs to measure next, by the model that the cost of their packets asks for."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from linerate.errors import bad_input
from linerate.models.capacity.transfer import Prior
from linerate.models.design.candidates import chosen_table, combinations, costs_of
from linerate.models.design.choice import Design, choose_cells
from linerate.models.design.step_cells import StepCells, crossed_steps
from linerate.models.design.steps import choose_steps
from linerate.models.intervals.domain import domain_of
from linerate.models.operations.runs import MixRuns, mix_runs
from linerate.models.runs.cells import Cells, cells_of
from linerate.models.runs.selection import is_mixed
from linerate.models.runs.training import Training, training_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """Chosen runs, and among what they were chosen."""

    table: pd.DataFrame
    """A row a run, best first: its cell, and ``unknown_after`` it is measured."""
    design: Design
    candidates: int
    """Cells that were chosen among."""
    alike: tuple[str, ...] = ()
    """Columns of the table that all of these have alike, and that say what was left as it was."""
    notes: tuple[str, ...] = ()
    """What was left out or guessed, one sentence each."""


def plan_runs(
    budget: int, cells: pd.DataFrame | None, runs: pd.DataFrame | None, prior: Prior | None = None
) -> Plan:
    """Choose the runs that leave least unknown of all cells.

    Parameters
    ----------
    budget
        Runs to choose, at least 1.
    cells
        Cells to choose from; None for all combinations of what the runs show.
    runs
        What is there already; None where the plan begins with nothing.
    prior
        Constants of other boxes.

    Returns
    -------
    A plan of operations where every cell differs by what its packets execute, else of capacity.

    Raises
    ------
    BadInputError
        Neither cells nor runs, none that can be fitted on, or a prior of operations.
    """
    asked = cells if cells is not None else runs
    if asked is None or "program" not in asked.columns or not bool(is_mixed(asked).all()):
        training = training_of(runs) if runs is not None else None
        return _of_capacity(budget, _candidates(cells, training), training, prior)
    if prior is not None:
        raise bad_input("prior", "constants of another box",
                        why="operations are planned without one",
                        allowed="cells of memory accesses", do="leave out --prior")  # fmt: skip
    measured = mix_runs(runs) if runs is not None else None
    candidates = StepCells.of(asked) if cells is not None else crossed_steps(asked)
    return _of_steps(budget, candidates, measured)


def _of_steps(budget: int, candidates: StepCells, measured: MixRuns | None) -> Plan:
    design = choose_steps(candidates, budget, measured)
    table = candidates.table.iloc[design.rows].reset_index(drop=True)
    distinct = candidates.table.nunique(dropna=False)
    alike = tuple(name for name in candidates.table.columns if distinct[name] == 1)
    return Plan(
        table=table.assign(unknown_after=design.spread_after), design=design, alike=alike,
        candidates=len(candidates.works), notes=measured.notes if measured is not None else (),
    )  # fmt: skip


def _candidates(cells: pd.DataFrame | None, training: Training | None) -> Cells:
    if cells is not None:
        return cells_of(cells)
    if training is not None:
        return combinations(training)
    raise bad_input("runs", "", why="there is nothing to choose from",
                    allowed="runs, or --cells", do="name one of them")  # fmt: skip


def _of_capacity(
    budget: int, candidates: Cells, training: Training | None, prior: Prior | None
) -> Plan:
    costs, why = costs_of(candidates, training, prior)
    design = choose_cells(costs, candidates, budget,
                          measured=training.cells if training is not None else None)  # fmt: skip
    notes = (*training.notes, *domain_of(training).notes) if training is not None else ()
    return Plan(table=chosen_table(candidates, design), design=design, candidates=len(candidates),
                notes=(*notes, f"costs are guessed: {why}") if why else notes)  # fmt: skip
