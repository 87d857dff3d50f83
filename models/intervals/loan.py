"""Constants, domain and scores of other boxes, lent to a box of few runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linerate.models.capacity.error import REACH_MAX
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.transfer import Prior
from linerate.models.intervals.domain import Domain, PairDomain, Range, domain_of
from linerate.models.intervals.intervals import Conformal, calibrate
from linerate.models.intervals.scores import BUCKET_MIN
from linerate.models.intervals.unidentified import Slack
from linerate.models.runs.cells import FACTORS, Array, Cells
from linerate.models.runs.training import Training
from linerate.normal import NORMAL_90


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """What other boxes lend; it fits the capacity model from there."""

    prior: Prior
    domain: Domain
    """Where they were measured."""
    conformal: Conformal
    """How far off their own models were on groups held out."""

    @property
    def name(self) -> str:
        """Of the model that it fits."""
        return Capacity.name

    def fit(self, training: Training) -> Capacity:
        """Fit the capacity model from what is lent.

        Raises
        ------
        BadInputError
            Nothing is lent for any path of these runs.
        """
        return Capacity.fit_with(self.prior, training)

    def calibrated(
        self, model: Capacity, training: Training, rng: np.random.Generator
    ) -> tuple[Domain, Conformal]:
        """Take the own scores of these runs where they are enough, else those that are lent.

        With lent scores goes the lent domain, and what the constants leave open is added to each
        interval.
        """
        own = domain_of(training)
        if np.unique(training.group).size >= BUCKET_MIN:
            conformal = calibrate(model, training, rng)
            if conformal.load.buckets[-1].worth >= BUCKET_MIN:
                return own, conformal
        lent = [known for known in self.domain.pairs if known.pair in model.pairs]
        return joined_domains([own, Domain(pairs=tuple(lent))]), self.conformal


def owed(model: Capacity, cells: Cells) -> Slack:
    """Say how far rates of cells may lie for what is open of borrowed constants."""
    reach: Array = np.zeros(len(cells))
    paths = {path.pair: path for path in model.paths}
    for one in model.borrowed:
        rows = np.flatnonzero(np.array([pair == one.pair for pair in cells.pairs])[cells.pair])
        if rows.size:
            own = cells.take(rows).of_pairs([one.pair])
            reach[rows] = np.minimum(NORMAL_90 * one.log_spread(paths[one.pair], own), REACH_MAX)
    return Slack(below=reach, above=reach)


def joined_domains(domains: Sequence[Domain]) -> Domain:
    """Span the ranges of several domains, path by path."""
    found: dict[object, PairDomain] = {}
    for known in (known for domain in domains for known in domain.pairs):
        before = found.get(known.pair)
        found[known.pair] = known if before is None else _spanned(before, known)
    return Domain(pairs=tuple(found.values()))


def _spanned(one: PairDomain, other: PairDomain) -> PairDomain:
    memory_accesses, queues, frame_bytes, link_gbps = (
        Range(low=min(getattr(one, name).low, getattr(other, name).low),
              high=max(getattr(one, name).high, getattr(other, name).high))
        for name in FACTORS
    )  # fmt: skip
    return PairDomain(
        pair=one.pair, memory_accesses=memory_accesses, queues=queues, frame_bytes=frame_bytes,
        link_gbps=link_gbps, at_ceiling=one.at_ceiling and other.at_ceiling,
    )  # fmt: skip
