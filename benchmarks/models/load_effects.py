"""What an effect of each program load brings: ``python -m benchmarks.models.load_effects RUNS``.

The law's residuals are taken as ``r = w (d_group + d_load) + e``, w the share of a packet's time
that its accesses take. The three spreads are found by likelihood, path by path, and statsmodels'
``MixedLM`` finds that of loads by itself. Then runs are held out in four ways, and the law alone
stands beside the law with what the runs seen say of the effect (BLUP).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from linerate.models import Capacity, Training, training_of
from linerate.models.loads.law import access_share, below
from linerate.models.runs.cells import Array, Codes
from linerate.models.validation.folds import fold_codes, hold_out, partitions, shuffled_folds
from linerate.models.validation.spread import spread
from linerate.tables.runs import read_runs

FOLDS = 5
STARTS = (-3.0, -3.0, -4.0), (-6.0, -3.0, -4.0)
"""Logs of the three spreads that a search begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a law leaves over of n runs; every array has shape (n,)."""

    residual: Array
    """log(measured / law)."""
    share: Array
    """Of a packet's time that accesses take, by the law."""
    group: Codes
    load: Codes

    def of(self, group: int) -> Left:
        """Take the runs of one group."""
        rows = self.group == group
        return Left(residual=self.residual[rows], share=self.share[rows], group=self.group[rows],
                    load=self.load[rows])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """Standard deviations of the effects, and of what is left."""

    group: float
    load: float
    noise: float

    def solved(self, left: Left) -> tuple[Array, float]:
        """Residuals of one group over their covariance, and the log of its determinant."""
        alike = (left.load[:, None] == left.load[None, :]).astype(np.float64)
        shared = self.group**2 + self.load**2 * alike
        covariance = np.outer(left.share, left.share) * shared
        covariance += self.noise**2 * np.eye(left.share.size)
        return np.linalg.solve(covariance, left.residual), float(np.linalg.slogdet(covariance)[1])

    def effects(self, left: Left) -> tuple[float, float]:
        """Expect the effect of one group, and the median of those of its loads beside it."""
        pull = left.share * self.solved(left)[0]
        loads = [self.load**2 * pull[left.load == load].sum() for load in np.unique(left.load)]
        return float(self.group**2 * pull.sum()), float(np.median(loads))


def spreads_of(left: Left) -> Spreads:
    """Find the spreads that make the residuals most likely."""
    groups = [left.of(group) for group in np.unique(left.group)]

    def unlikely(logs: Array) -> float:
        tried = Spreads(**dict(zip(("group", "load", "noise"), np.exp(logs), strict=True)))
        parts = [(one.residual, *tried.solved(one)) for one in groups]
        return 0.5 * sum(float(residual @ solved) + log for residual, solved, log in parts)

    found = [minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 400})
             for start in STARTS]  # fmt: skip
    group, load, noise = np.exp(min(found, key=lambda one: one.fun).x)
    return Spreads(group=float(group), load=float(load), noise=float(noise))


def mixed_load_spread(left: Left) -> float:
    """Spread of loads by statsmodels; nan where its likelihood has no maximum."""
    import statsmodels.formula.api

    formulas: Any = statsmodels.formula.api  # what types it has know no formulas
    rows = pd.DataFrame({"r": left.residual, "w": left.share, "load": left.load})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = formulas.mixedlm("r ~ 1", rows, groups="load", re_formula="0 + w").fit()
        except np.linalg.LinAlgError:
            return float("nan")
    return float(np.sqrt(found.cov_re.iloc[0, 0])) if found.converged else float("nan")


def left_over(model: Capacity, runs: Training) -> dict[int, Left]:
    """Take what a law leaves over of the runs below their ceiling, by the code of their pair."""
    limits = model.limits(runs.cells)
    share = access_share(model, runs.cells, limits.service_mpps)
    residual = np.log(runs.forwarded_mpps / limits.service_mpps)
    kept = below(runs, limits)
    return {
        int(code): Left(residual=residual[rows], share=share[rows], group=runs.group[rows],
                        load=runs.load[rows])
        for code in np.unique(runs.cells.pair) for rows in [kept & (runs.cells.pair == code)]
        if rows.any()
    }  # fmt: skip


def errors(model: Capacity, known: dict[int, tuple[float, float]], held: Training) -> list[Array]:
    """Relative errors of the law, with the group's effect, and with its loads' too."""
    limits = model.limits(held.cells)
    share = access_share(model, held.cells, limits.service_mpps)
    effects = np.array([known.get(int(group), (0.0, 0.0)) for group in held.group])
    return [
        np.minimum(limits.service_mpps * np.exp(share * effect), limits.ceiling_mpps)
        / held.forwarded_mpps - 1.0
        for effect in (np.zeros(len(held)), effects[:, 0], effects.sum(axis=1))
    ]  # fmt: skip


def splits(runs: Training) -> Iterator[tuple[str, list[tuple[Training, Training]]]]:
    """Name four questions, with what is seen and held out of each."""
    yield "unseen groups", list(partitions(runs, "group", FOLDS, np.random.default_rng(0)))
    yield "one frame size", list(partitions(runs, "frame_bytes", FOLDS, np.random.default_rng(0)))
    groups = fold_codes(runs, "group", FOLDS, np.random.default_rng(0))
    sizes = runs.cells.frame_bytes
    corners = [(groups == fold, sizes == size) for fold in np.unique(groups)
               for size in np.unique(sizes)]  # fmt: skip
    yield "both", [(runs.take(~group & ~size), runs.take(group & size))
                   for group, size in corners if (group & size).any()]  # fmt: skip
    loads = shuffled_folds(runs.load, FOLDS, np.random.default_rng(0))
    others = [(runs.take(~out), runs.take(out)) for out in hold_out(loads)]
    yield "other loads of groups", [(seen, held.take(np.isin(held.group, seen.group)))
                                    for seen, held in others]  # fmt: skip


def main() -> None:
    """Print the spreads, and the errors of each question."""
    runs = training_of(read_runs(map(Path, sys.argv[1:])))
    model = Capacity.fit(runs)
    found = {}
    for code, left in left_over(model, runs).items():
        found[code] = spreads_of(left)
        print(f"{runs.cells.pairs[code]}: group {found[code].group:.4f}, load "
              f"{found[code].load:.4f} (MixedLM {mixed_load_spread(left):.4f}), noise "
              f"{found[code].noise:.4f}", flush=True)  # fmt: skip
    print("error, %: law | with the group's effect | with that of the loads seen, too")
    for question, parts in splits(runs):
        medians: list[list[Array]] = []
        single: list[list[Array]] = []
        for seen, held in parts:
            again = model.refit(seen)
            known = {int(group): found[code].effects(left.of(group))
                     for code, left in left_over(again, seen).items()
                     for group in np.unique(left.group)}  # fmt: skip
            medians.append(errors(again, known, held.medians()))
            single.append(errors(again, known, held))
        for what, of in (("medians", medians), ("single runs", single)):
            columns = [spread(np.concatenate(column)) for column in zip(*of, strict=True)]
            print(f"{question:22} {what:12}", " | ".join(map(str, columns)), flush=True)


if __name__ == "__main__":
    main()
