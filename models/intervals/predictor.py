"""A fitted capacity model with its domain and intervals: what predicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from linerate.models.capacity.model import Capacity
from linerate.models.intervals.domain import Domain, domain_of
from linerate.models.intervals.intervals import Conformal, calibrate
from linerate.models.intervals.unidentified import slack_of
from linerate.models.runs.cells import Cells, Pair, cells_of
from linerate.models.runs.limits import CapacityModel, Fitter
from linerate.records import Predictions

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

ROWS_AT_ONCE = 250_000
"""Cells predicted together: bounds memory, costs no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictor:
    """A fitted model, where it was fitted, and how far it was off on what it had not seen."""

    model: CapacityModel
    domain: Domain
    conformal: Conformal

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs it knows."""
        return self.model.pairs

    @property
    def notes(self) -> tuple[str, ...]:
        """What the runs could not tell; the model's own words first, which say what it does."""
        own = self.model.notes
        more = (note for note in self.domain.notes if not any(one.startswith(note) for one in own))
        return (*own, *more)

    def notes_on(self, pairs: Collection[Pair]) -> tuple[str, ...]:
        """Say what the runs could not tell, as far as it concerns these pairs."""
        others = tuple(f"{pair}: " for pair in self.pairs if pair not in pairs)
        return tuple(note for note in self.notes if not note.startswith(others))

    def predict(self, cells: pd.DataFrame) -> Predictions:
        """Predict cells of a table (columns of ``cells_of``), in its order.

        Raises
        ------
        BadInputError
            Missing columns, impossible factors, or a datapath or program it does not know.
        """
        factors = cells_of(cells, self.pairs)
        parts = [
            self.predict_cells(
                factors.take(np.arange(start, min(start + ROWS_AT_ONCE, len(cells))))
            )
            for start in range(0, len(cells), ROWS_AT_ONCE)
        ]
        return parts[0] if len(parts) == 1 else joined(parts)

    def predict_cells(self, cells: Cells) -> Predictions:
        """Predict cells that are arrays already."""
        limits = self.model.limits(cells)
        slack = slack_of(self.model, self.domain, cells, limits)
        if self.conformal.lent and isinstance(self.model, Capacity):
            from linerate.models.intervals.loan import owed  # few borrow

            slack = slack.wider(owed(self.model, cells))
        predicted = self.conformal.predictions(limits, cells, self.domain, slack)
        return predicted.within_line(cells.line_mpps)


def fit_predictor(model: Fitter, training: Training, rng: np.random.Generator) -> Predictor:
    """Fit a model and calibrate its intervals on the same runs, by groups held out.

    Of very many runs intervals are learned from some (``drawn``).

    What other boxes lend (``Loan``) makes up for runs too few to hold any out.
    """
    # Not needed to predict.
    from linerate.models.intervals.loan import Loan
    from linerate.models.runs.drawn import drawn

    fitted = model.fit(training)
    if isinstance(model, Loan) and isinstance(fitted, Capacity):
        domain, conformal = model.calibrated(fitted, training, rng)
        return Predictor(model=fitted, domain=domain, conformal=conformal)
    conformal = calibrate(fitted, drawn(training), rng)
    return Predictor(model=fitted, domain=domain_of(training), conformal=conformal)


def joined(parts: Sequence[Predictions]) -> Predictions:
    """Put predictions one behind the other."""
    names = Predictions.__slots__
    return Predictions(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    )
