"""Each frame size held out of program loads that were measured at others.

Whose program stays loaded may ask for another size by the sizes that were measured of this very
load; a load that is made anew may not, and is answered by the law alone. Everything is nested: law,
spreads, effects and interval come from the sizes that are not held out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from linerate.models.loads.seen import LoadsModel, has_seen_loads
from linerate.models.runs.cells import Array
from linerate.models.runs.training import Training
from linerate.models.validation.spread import Spread, spread
from linerate.progress import Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLoads:
    """How far off medians of loads are at a frame size that was not measured of them."""

    cells: int
    error: Spread
    median_coverage: float
    """Share of cells whose median is inside the 90 % interval."""
    median_half_width_percent: float
    """Mean half-width of it, % of the prediction."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return (f"Of loads that were seen at other frame sizes: {self.error} % off over "
                f"{self.cells} cells; {self.median_coverage:.1%} of medians inside, half-width "
                f"{self.median_half_width_percent:.1f} %")  # fmt: skip


def validate_seen(training: Training, tell: Tell = lambda part, done, of: None) -> SeenLoads | None:
    """Hold each frame size out of loads that were seen at the others.

    Parameters
    ----------
    training
        Runs, as ``training_of`` gives them.
    tell
        Called before each size.

    Returns
    -------
    None where loads were not measured at several sizes: each run is a load of its own there.
    """
    if not has_seen_loads(training):
        return None
    parts = []
    sizes = np.unique(training.cells.frame_bytes)
    for place, size in enumerate(sizes):
        tell("loads seen at other sizes", place, sizes.size)
        parts.append(_held_size(training, float(size)))
    errors, reach = (np.concatenate(column) for column in zip(*parts, strict=True))
    inside = np.abs(np.log1p(errors)) <= reach
    return SeenLoads(cells=errors.size, error=spread(errors), median_coverage=float(inside.mean()),
                     median_half_width_percent=float(100.0 * np.sinh(reach).mean()))  # fmt: skip


def _held_size(runs: Training, size: float) -> tuple[Array, Array]:
    """Answer one size by the others: relative errors of medians, and log half-widths."""
    sizes = runs.cells.frame_bytes
    seen, medians = runs.take(sizes != size), runs.take(sizes == size).medians()
    mpps, reach = LoadsModel.fit(seen).predict_cells(medians.cells, medians.group)
    return mpps / medians.forwarded_mpps - 1.0, reach
