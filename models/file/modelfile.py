"""Fitted models of one machine together: what predicts, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.errors import bad_input
from linerate.models.file.provenance import Provenance
from linerate.models.file.soundness import check_predictor
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.intervals import Conformal, Reach
from linerate.models.intervals.predictor import Predictor, joined
from linerate.models.runs.cells import Mask, cells_of
from linerate.models.runs.limits import CapacityModel
from linerate.records import Predictions
from linerate.units import line_rate_mpps

if TYPE_CHECKING:
    from linerate.models.kinds import Kind
    from linerate.models.latency.model import LatencyModel
    from linerate.models.latency.overload import Overload
    from linerate.models.latency.round_trips import RoundTrips
    from linerate.models.latency.shares import CpuShares
    from linerate.models.operations.predictor import MixPredictor
    from linerate.models.validation.validation import Scores

NO_DOMAIN = Domain(pairs=())
NO_REACH = Reach(buckets=(), ceiling_half_width=0.0)
NO_SCORES = Conformal(load=NO_REACH, median=NO_REACH)
"""What a file has that holds no model of capacity."""


def _every_kind() -> tuple[Kind, ...]:
    from linerate.models.kinds import KINDS  # a rate needs none of them, and they are slow to load

    return KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """Everything that a prediction needs, and where it came from."""

    capacity_model: CapacityModel | None = None
    """What predicts by memory accesses, queues and frames: one of ``MODELS``; None where no runs
    were of such programs. What learns from examples keeps these, and learns again."""
    domain: Domain = NO_DOMAIN
    conformal: Conformal = NO_SCORES
    fitted: Mapping[str, Any] = field(default_factory=dict)
    """Fitted models of other ``kinds``, by their names."""
    scores: Scores | None = None
    """Grouped validation on the same runs; None where they were too few."""
    provenance: Provenance
    kinds: tuple[Kind, ...] = field(default_factory=_every_kind)

    def __post_init__(self) -> None:
        if self.capacity_model is None and not self.fitted:
            from linerate.models.catalogue import MODEL_NAMES

            names = (*MODEL_NAMES, *(kind.name for kind in self.kinds))
            raise ValueError(f"{', '.join(names)}: one of them must be there")
        if self.by_accesses:
            check_predictor(self.predictor)

    @property
    def predictor(self) -> Predictor:
        """What predicts by memory accesses, queues and frames.

        Raises
        ------
        BadInputError
            No program was measured by memory accesses.
        """
        if self.capacity_model is None:
            raise bad_input(
                "model", ", ".join(self.fitted), why="no program was measured by memory accesses",
                allowed=self.mixes.known() if self.mixes else "",
                do="name one of these, or measure the other at loads it cannot sustain, and fit",
            )  # fmt: skip
        return Predictor(model=self.capacity_model, domain=self.domain, conformal=self.conformal)

    @property
    def by_accesses(self) -> bool:
        """Whether there is a ``predictor``."""
        return self.capacity_model is not None

    @property
    def mixes(self) -> MixPredictor | None:
        """Costs of operations; None where the runs have no programs that these tell apart."""
        return self.fitted.get("mixes")

    @property
    def latency(self) -> LatencyModel | None:
        """None where the runs hold no latency of the split mode."""
        return self.fitted.get("latency")

    @property
    def cpu_shares(self) -> CpuShares | None:
        """None where no run that capacity is fitted on has a CPU share."""
        return self.fitted.get("cpu_shares")

    @property
    def overload(self) -> Overload | None:
        """None where no flooded run has a latency."""
        return self.fitted.get("overload")

    @property
    def round_trips(self) -> RoundTrips | None:
        """None where no chains of two lengths were pinged."""
        return self.fitted.get("round_trips")

    def predict(self, cells: pd.DataFrame) -> Predictions:
        """Predict rates of cells of a table, in its order, by the first kind that knows each.

        None is above line rate, its interval neither, whatever a kind answers.

        Raises
        ------
        BadInputError
            Missing columns, impossible factors, or something that no run measured.
        """
        left = np.arange(len(cells))
        parts, order = [], []
        for kind, model in self._of("rate") if "datapath" in cells.columns else ():
            known = kind.knows(model, cells.iloc[left])
            if known.any():
                parts.append(_rates(kind.answer(model, cells.iloc[left[known]], None)))
                order.append(left[known])
                left = left[~known]
        if not parts:
            return self.predictor.predict(cells)
        if left.size:
            parts.append(self.predictor.predict(cells.iloc[left]))
            order.append(left)
        predictions = joined(parts).take(np.argsort(np.concatenate(order)))
        return predictions.within_line(line_rate_mpps(cells["link_gbps"], cells["frame_bytes"]))

    def predict_more(
        self, cells: pd.DataFrame, rates: Predictions, *, only: str = ""
    ) -> dict[str, NDArray[Any]]:
        """Predict all but rates: columns of each question, by the first kind that knows a cell.

        Parameters
        ----------
        cells
            A table of cells.
        rates
            Their predicted rates.
        only
            One question; all if empty.

        Returns
        -------
        Columns by name, shape (n,); nan where nothing is known of a cell.
        """
        from linerate.models.kinds import Rates

        columns: dict[str, NDArray[Any]] = {}
        known_rates = Rates(predicted=rates, service_mpps=self.service_mpps(cells))
        questions = dict.fromkeys(kind.answers for kind in self.kinds)
        for question in [only] if only else [one for one in questions if one != "rate"]:
            left = np.arange(len(cells))
            for kind, model in self._of(question):
                known = left[kind.knows(model, cells.iloc[left])]
                if known.size:
                    answer = kind.answer(model, cells.iloc[known], known_rates.take(known))
                    for name, values in answer.items():
                        column = columns.setdefault(name, np.full(len(cells), np.nan, dtype=object))
                        column[known] = values
                left = np.setdiff1d(left, known)
        return columns

    def service_mpps(self, cells: pd.DataFrame) -> NDArray[np.float64]:
        """Predict what the cores of cells alone would forward, shape (n,).

        Raises
        ------
        BadInputError
            As ``predict``.
        """
        alone = cells.assign(offered_mpps=np.inf, link_gbps=np.inf)
        by_kinds = self._by_kinds(cells)
        service_mpps = np.full(len(cells), np.nan)
        if by_kinds.any():
            service_mpps[by_kinds] = self.predict(alone[by_kinds]).predicted_mpps
        if not by_kinds.all():
            others = cells_of(cells[~by_kinds], self.predictor.pairs)
            service_mpps[~by_kinds] = self.predictor.model.limits(others).service_mpps
        return service_mpps

    def only_rates(self, asked: Mapping[str, object]) -> bool:
        """Whether of this cell no more can be said than its rate, by memory accesses."""
        return (
            self.by_accesses
            and "offered_mpps" not in asked
            and all(kind.needs_load for kind, _ in self._known_kinds())
        )

    def answers_rates(self, cells: pd.DataFrame) -> bool:
        """Whether a kind beside the capacity model answers the rate of the first cell."""
        return bool(self._by_kinds(cells.head(1))[0])

    def _by_kinds(self, cells: pd.DataFrame) -> Mask:
        """Whether a kind beside the capacity model answers the rate of each cell, shape (n,)."""
        known = np.zeros(len(cells), dtype=np.bool_)
        for kind, model in self._of("rate") if "datapath" in cells.columns else ():
            known |= kind.knows(model, cells)
        return known

    def _of(self, question: str) -> list[tuple[Kind, Any]]:
        return [each for each in self._known_kinds() if each[0].answers == question]

    def _known_kinds(self) -> list[tuple[Kind, Any]]:
        return [(kind, self.fitted.get(kind.name)) for kind in self.kinds
                if kind.fit is None or kind.name in self.fitted]  # fmt: skip


def _rates(answer: Mapping[str, NDArray[Any]]) -> Predictions:
    """Read a kind's answer; one that knows no loads says the same of one and of their median."""
    alike = {"lower_median_mpps": answer["lower_mpps"], "upper_median_mpps": answer["upper_mpps"]}
    return Predictions(**(alike | dict(answer)))


def model_file(
    predictor: Predictor | None,
    provenance: Provenance,
    *,
    fitted: Mapping[str, Any] | None = None,
    scores: Scores | None = None,
    kinds: tuple[Kind, ...] | None = None,
) -> ModelFile:
    """Put fitted models and their origin together."""
    parts = {name: model for name, model in (fitted or {}).items() if model is not None}
    kinds = _every_kind() if kinds is None else kinds
    if predictor is None:
        return ModelFile(fitted=parts, provenance=provenance, kinds=kinds)
    return ModelFile(
        capacity_model=predictor.model, domain=predictor.domain, conformal=predictor.conformal,
        fitted=parts, scores=scores, provenance=provenance, kinds=kinds,
    )  # fmt: skip
