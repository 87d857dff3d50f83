"""``linerate predict RUNS --same-loads``: loads that were measured, at other frame sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from linerate.cli.models.priced import refuse
from linerate.cli.output import print_json, stdout
from linerate.errors import bad_input
from linerate.line_rate import sustains
from linerate.models.fitting import learnable
from linerate.models.loads.seen import LoadsModel
from linerate.tables.measured import read


def predict_same_loads(
    runs: Path, cell: Mapping[str, object], strange: Mapping[str, object], *, json: bool
) -> bool:
    """Print the answer about one cell; return whether its rate sustains line rate.

    Parameters
    ----------
    runs
        Table or campaign's folder.
    cell
        Factors by name; None is not named.
    strange
        Options that have no meaning here, by name.

    Raises
    ------
    BadInputError
        A factor is missing, or the runs tell nothing of it.
    """
    refuse(dict(strange), "a model")
    missing = [name for name, value in cell.items() if value is None and name != "program"]
    if missing:
        raise bad_input(
            missing[0],
            "nothing",
            why="the cell is not named whole",
            allowed="all factors of one cell",
            do=f"add --{missing[0].replace('_', '-')}",
        )
    known = learnable(read(runs).table)
    if known.by_accesses is None:
        raise bad_input("runs", runs, why="they have no memory accesses",
                        allowed="runs that differ by accesses", do="name others")  # fmt: skip
    named = {name: value for name, value in cell.items() if value is not None}
    answer = LoadsModel.fit(known.by_accesses).predict(named)
    if json:
        print_json(asdict(answer))
    else:
        stdout.print(str(answer))
    return bool(sustains(answer.predicted_mpps, answer.line_rate_mpps))
