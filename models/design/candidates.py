"""Cells that may be measured, and what is known of their costs before they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from linerate.box import Cost
from linerate.cells import Cell
from linerate.errors import BadInputError, bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.design.choice import Design, guessed_path
from linerate.models.runs.cells import FACTORS, Cells, Pair, cells_of
from linerate.models.runs.selection import alike
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
    candidates: Cells, training: Training | None, known: Mapping[str, Cost] = MappingProxyType({})
) -> tuple[Sequence[PathCost], str]:
    """Fitted costs where the runs suffice, else those of a box, guessed ones where it has none.

    Parameters
    ----------
    candidates
        Cells to choose from.
    training
        What was measured so far.
    known
        Costs of a box, by path and constant.

    Returns
    -------
    A cost for each pair of the candidates and of the runs, and why costs are guessed although
    there are runs; empty where they are not.
    """
    fitted: dict[Pair, PathCost] = {}
    why = ""
    if training is not None:
        try:
            fitted = {path.pair: path for path in Capacity.fit(training).paths}
        except BadInputError as error:
            why = str(error)
    there = training.cells.pairs if training is not None else ()
    pairs = dict.fromkeys((*candidates.pairs, *there))
    return [fitted.get(pair) or _of_box(guessed_path(pair), known) for pair in pairs], why


def _of_box(guessed: PathCost, known: Mapping[str, Cost]) -> PathCost:
    """Put a box's costs where they are guessed; how they grow with queues no box file says."""
    begin = f"{guessed.pair.datapath}.{guessed.pair.program}."
    values = {
        name: known[begin + name].value_ns
        for name in guessed.form.parameters
        if begin + name in known
    }
    return guessed.with_values(values)


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
