"""Cells of a campaign that a capacity model can tell of."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from linerate.cell_columns import cell_columns
from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.models.selection import alike
from linerate.models.training import CAPACITY_MODE


def foretold(planned: Sequence[Cell], option: str, value: str) -> pd.DataFrame:
    """Find the cells that capacity is fitted on, one row each, their index the cell's number.

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
        raise bad_input(option, value,
                        why=f"capacity can be fitted on none of the {len(planned)} cells",
                        allowed="cells of programs whose cost memory_accesses, queues and "
                        "frame_bytes tell", do=f"leave out --{option}")  # fmt: skip
    return kept
