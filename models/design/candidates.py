"""Cells that may be measured, and what is known of their costs before they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from linerate.cells import Cell
from linerate.errors import BadInputError, bad_input
from linerate.models.capacity.borrowing import refuse_strange
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.transfer import Prior
from linerate.models.design.choice import Design, guessed_path
from linerate.models.runs.cells import FACTORS, Cells, Pair, cells_of
from linerate.models.runs.selection import alike, is_mixed
from linerate.models.runs.training import CAPACITY_MODE, Training
from linerate.tables.cell_columns import cell_columns


def capacity_cells(planned: Sequence[Cell], option: str, value: str) -> pd.DataFrame:
    """Find the cells of a campaign that capacity is fitted on; their index is the cell's number.

    Parameters
    ----------
    planned
        Cells of a campaign, in its order.
    option, value
        What asked for them, for the error.

    Raises
    ------
    BadInputError
        There is none.
    """
    table = pd.DataFrame([cell_columns(cell) for cell in planned])
    kept, _ = alike(table, ())
    if len(kept) and bool((kept["mode"] == CAPACITY_MODE).any()):
        kept = kept[kept["mode"] == CAPACITY_MODE]
    if kept.empty:
        raise bad_input(
            option, value, why=f"capacity can be fitted on none of the {len(planned)} cells",
            allowed="cells of programs whose cost depends on memory_accesses, queues and "
            "frame_bytes", do=f"leave out --{option}",
        )  # fmt: skip
    return kept


def planned_cells(planned: Sequence[Cell], costs: Sequence[str], path: str) -> pd.DataFrame:
    """Take a campaign's cells that a plan can choose among.

    All where each differs by what its packets execute, else those of capacity.

    Parameters
    ----------
    planned
        Cells of a campaign, in its order.
    costs
        What the packets of each cost by, a word of ``COSTS``.
    path
        The campaign's file, for the error.

    Raises
    ------
    BadInputError
        There is none of either.
    """
    table = pd.DataFrame([cell_columns(cell) for cell in planned]).assign(cost=list(costs))
    if bool(is_mixed(table).all()):
        return table
    return capacity_cells(planned, "cells", path)


def combinations(training: Training) -> Cells:
    """All combinations of each pair's factors, as far as its runs show them."""
    known = training.cells
    parts = []
    for code in np.unique(known.pair):
        own = known.take(known.pair == code)
        levels = [np.unique(getattr(own, name)) for name in FACTORS]
        product = pd.MultiIndex.from_product(levels, names=FACTORS).to_frame(index=False)
        pair = known.pairs[code]
        parts.append(product.assign(datapath=pair.datapath, program=pair.program))
    return cells_of(pd.concat(parts, ignore_index=True))


def costs_of(
    candidates: Cells, training: Training | None, prior: Prior | None = None
) -> tuple[Sequence[PathCost], str]:
    """Fitted costs where the runs suffice, else those of other boxes, guessed ones without any.

    Parameters
    ----------
    candidates
        Cells to choose from.
    training
        What was measured so far.
    prior
        Constants of other boxes.

    Returns
    -------
    A cost for each pair of the candidates and of the runs, and why costs are guessed although
    there are runs; empty where they are not.

    Raises
    ------
    BadInputError
        Other boxes have none of the pairs.
    """
    fitted: dict[Pair, PathCost] = {}
    why = ""
    there = training.cells.pairs if training is not None else ()
    pairs = tuple(dict.fromkeys((*candidates.pairs, *there)))
    if prior is not None:
        refuse_strange(prior, pairs)
        fitted = {path.pair: path for path in prior.paths}
    if training is not None:
        try:
            model = Capacity.fit_with(prior, training) if prior else Capacity.fit(training)
            fitted |= {path.pair: path for path in model.paths}
        except BadInputError as error:
            why = str(error)
    return [fitted.get(pair) or guessed_path(pair) for pair in pairs], why


def chosen_table(candidates: Cells, design: Design) -> pd.DataFrame:
    """Lay out the chosen cells, best first: factors, and ``unknown_after`` each is measured."""
    chosen = candidates.take(design.rows)
    pairs = [chosen.pairs[code] for code in chosen.pair]
    factors = {name: getattr(chosen, name) for name in FACTORS}
    factors |= {name: factors[name].astype(np.int64) for name in ("memory_accesses", "queues")}
    return pd.DataFrame(
        {"datapath": [pair.datapath for pair in pairs], "program": [pair.program for pair in pairs],
         **factors, "unknown_after": design.spread_after}
    )  # fmt: skip
