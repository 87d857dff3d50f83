"""Constants of other boxes as what is expected of a new one: log-normal, constant by constant.

A constant of one box tells the order of magnitude of the same constant on another, and its form
tells what the other's packets wait for. Boxes do not differ by one factor in all constants: of the
two that share programs in the data that come with linerate, one has the cheaper base path and
the other the cheaper access. So each constant is a normal variable in the logarithm by itself.

References
----------
Constants of exchangeable units: Gelman et al., Bayesian Data Analysis (3rd ed., 2013), ch. 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.packet_time import USER, PathForm
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.prior import LOG_MAX, LOGARITHMIC, Guess, bounds_of, guess_of
from linerate.models.runs.cells import Pair

SPREAD = 0.5
"""Log spread of a constant between boxes, as far as no boxes show it."""
SPREAD_WORTH = 3.0
"""Differences between boxes that what is assumed of their spread counts as."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What other boxes lead to expect of a new one."""

    boxes: tuple[str, ...]
    """Whose constants these are."""
    paths: tuple[PathCost, ...]
    """Geometric means over the boxes, one for each datapath and program."""
    spread: float
    """Log spread of a constant between boxes."""
    known: Mapping[str, int]
    """Boxes behind each path."""
    shared_access: bool = False
    """Whether one cost of an access serves every datapath that runs a program there."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs that it has."""
        return tuple(path.pair for path in self.paths)

    def path(self, pair: Pair) -> PathCost | None:
        """Find what is expected of one datapath and program."""
        return next((path for path in self.paths if path.pair == pair), None)

    def form(self, pair: Pair) -> PathForm | None:
        """Find the form of one datapath and program there."""
        path = self.path(pair)
        return path.form if path is not None else None

    def guess_of(self, pair: Pair, name: str) -> Guess | None:
        """Say what is expected of a constant of a path; None where the boxes do not have it.

        One that may be 0 has no logarithm: it is expected where it is there, within what is
        assumed of it anyway.
        """
        path = self.path(pair)
        value = path.values().get(name) if path is not None else None
        if path is None or value is None:
            return None
        if name in LOGARITHMIC:
            centre = math.log(value)
            reach = self.spread * math.sqrt(1.0 + 1.0 / self.known[str(pair)])
            return Guess(centre=centre, spread=reach, start=centre, highest=LOG_MAX)
        own = guess_of(name, USER)
        return replace(own, centre=value, start=min(value, own.highest) or own.start)


def prior_of(boxes: Mapping[str, Sequence[PathCost]], *, shared_access: bool = False) -> Prior:
    """Put the constants of boxes together.

    Parameters
    ----------
    boxes
        Fitted paths of each box, by its name.
    shared_access
        Whether paths of a program share the cost of an access.

    Raises
    ------
    BadInputError
        No path whose constants are known, or a constant that no packet has.
    """
    found: dict[Pair, list[PathCost]] = {}
    for box, paths in boxes.items():
        for path in paths:
            if not path.bounded:
                _refuse_impossible(box, path)
                found.setdefault(path.pair, []).append(path)
    if not found:
        raise bad_input("prior", ", ".join(boxes), why="no constant of it is known",
                        allowed="boxes with runs below their ceilings",
                        do="name another, or leave it out")  # fmt: skip
    return Prior(
        boxes=tuple(boxes), paths=tuple(_mean(paths) for paths in found.values()),
        spread=_spread(list(found.values())),
        known={str(pair): len(paths) for pair, paths in found.items()},
        shared_access=shared_access,
    )  # fmt: skip


def _refuse_impossible(box: str, path: PathCost) -> None:
    """Refuse constants that no fit finds: a file may be edited by hand."""
    for name, value in path.values().items():
        low, high = bounds_of(name, USER)
        # The logarithm of an end, and back, is the end but for rounding.
        if not (1.0 - ROUNDING) * low <= value <= (1.0 + ROUNDING) * high:
            raise bad_input(
                "prior", box, why=f"{path.pair} has {name} {value:g}, which no packet has",
                allowed=f"{low:.3g} to {high:.3g}", do="fit that box again, or leave it out",
            )  # fmt: skip


def _logs(path: PathCost) -> dict[str, float]:
    return {name: math.log(value) for name, value in path.values().items() if name in LOGARITHMIC}


def _mean(paths: Sequence[PathCost]) -> PathCost:
    """Keep the form of the first box, with the geometric mean of what all have."""
    first, logs = paths[0], [_logs(path) for path in paths]
    means = {
        name: math.exp(float(np.mean([one[name] for one in logs if name in one])))
        for name in logs[0]
    }
    return replace(first.with_values(means), intervals={})


def _spread(of_pairs: Sequence[Sequence[PathCost]]) -> float:
    """Spread of constants around their means over boxes, shrunk to what is assumed of it."""
    squares, freedom = SPREAD_WORTH * SPREAD**2, SPREAD_WORTH
    for paths in of_pairs:
        logs = [_logs(path) for path in paths]
        for name in logs[0]:
            values = np.array([one[name] for one in logs if name in one])
            squares += float(((values - values.mean()) ** 2).sum())
            freedom += values.size - 1
    return math.sqrt(squares / freedom)
