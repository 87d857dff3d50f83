"""The machine of a campaign with the costs that were fitted on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from linerate.box import Box, Cost
from linerate.errors import bad_input
from linerate.face.model import Model
from linerate.files.store import Store
from linerate.models.capacity.model import Capacity


def box_with_costs(model: Model, sources: Sequence[Path]) -> Box:
    """Give the machine of the first campaign its fitted costs, ns.

    Parameters
    ----------
    model
        What was fitted to the runs of these sources.
    sources
        Tables and folders; one of them is a campaign's folder, with its ``box.json``.

    Raises
    ------
    BadInputError
        No campaign's folder, or a model without costs.
    """
    measured = [path for path in sources if (path / "box.json").is_file()]
    costs = _costs(model)
    if not measured or not costs:
        raise bad_input(
            "box", ", ".join(map(str, sources)), why="there is no machine or no cost to write",
            allowed="a campaign's folder, and the capacity model", do="name the folder that "
            "linerate measure made, or leave out --box",
        )  # fmt: skip
    return replace(Store(measured[0]).box(), costs=costs)


def _costs(model: Model) -> dict[str, Cost]:
    """Name every fitted cost, ns: of paths by memory accesses, then of operations."""
    file = model.file
    capacity = file.predictor.model if file.by_accesses else None
    paths = capacity.paths if isinstance(capacity, Capacity) else ()
    costs = {name: cost for path in paths for name, cost in path.costs().items()}
    mixes = file.mixes.model if file.mixes is not None else None
    for term, one in zip(mixes.solution.place, mixes.parameters, strict=True) if mixes else ():
        costs[f"operations.{term.scope}.{term.sort}.{term.name}"] = Cost(
            value_ns=one.value, lower_ns=one.lower, upper_ns=one.upper
        )
    return costs
