"""The machine of a campaign with the costs that were fitted on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from linerate.box import Box, Cost, read_box
from linerate.errors import bad_input
from linerate.face.model import Model
from linerate.files.store import Store
from linerate.models.capacity.model import Capacity
from linerate.models.objects.from_paths import base_costs_of

QUEUES = (1, 2, 4, 8, 16, 32)
"""Numbers of queues whose base costs are written, as far as they were measured."""


def box_with_costs(model: Model, sources: Sequence[Path], described: Path | None = None) -> Box:
    """Give the machine of the first campaign its fitted costs, ns, and base costs by hook.

    Parameters
    ----------
    model
        What was fitted to the runs of these sources.
    sources
        Tables and folders; one of them is a campaign's folder, with its ``box.json``.
    described
        A box file that says what the machine is, where none of them is such a folder.

    Raises
    ------
    BadInputError
        No campaign's folder, or a model without costs.
    """
    measured = [path for path in sources if (path / "box.json").is_file()]
    is_described = described is not None and described.is_file()
    costs = _costs(model)
    if not (measured or is_described) or not costs:
        raise bad_input(
            "box", ", ".join(map(str, sources)), why="there is no machine or no cost to write",
            allowed="a campaign's folder, and the capacity model", do="name the folder that "
            "linerate measure made, write into the file of --box what machine it is (a box file "
            "as in data/boxes, without costs), or leave out --box",
        )  # fmt: skip
    machine = Store(measured[0]).box() if measured else read_box(described or Path())
    return replace(machine, costs=costs)


def _costs(model: Model) -> dict[str, Cost]:
    """Name every fitted cost, ns: of paths by memory accesses, then of operations."""
    file = model.file
    capacity = file.predictor.model if file.by_accesses else None
    paths = capacity.paths if isinstance(capacity, Capacity) else ()
    costs = {name: cost for path in paths for name, cost in path.costs().items()}
    for known in file.domain.pairs if paths else ():
        queues = [q for q in QUEUES if known.queues.low <= q <= known.queues.high]
        costs |= base_costs_of((path for path in paths if path.pair == known.pair), queues)
    mixes = file.mixes.model if file.mixes is not None else None
    for term, one in zip(mixes.solution.place, mixes.parameters, strict=True) if mixes else ():
        costs[f"operations.{term.scope}.{term.sort}.{term.name}"] = Cost(
            value_ns=one.value, lower_ns=one.lower, upper_ns=one.upper
        )
    return costs
