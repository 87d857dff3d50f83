"""The machine of a campaign with the costs that were fitted on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from linerate.box import Box
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
    capacity = model.file.predictor.model
    if not measured or not isinstance(capacity, Capacity):
        raise bad_input(
            "box", ", ".join(map(str, sources)), why="there is no machine or no cost to write",
            allowed="a campaign's folder, and the capacity model", do="name the folder that "
            "linerate measure made, or leave out --box",
        )  # fmt: skip
    costs = {name: cost for path in capacity.paths for name, cost in path.costs().items()}
    return replace(Store(measured[0]).box(), costs=costs)
