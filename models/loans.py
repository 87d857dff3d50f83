"""From model files, box files and tables of other machines to what they lend to a new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from linerate.box import Box
from linerate.errors import BadInputError, bad_input
from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.prior import DEVIATION, LOAD_SPREAD
from linerate.models.capacity.transfer import prior_of
from linerate.models.design.choice import guessed_path
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.intervals import HALF_WIDTH_MIN, Conformal, Reach
from linerate.models.intervals.loan import Loan, joined_domains
from linerate.models.intervals.predictor import Predictor, fit_predictor
from linerate.models.intervals.scores import Bucket
from linerate.models.runs.cells import Pair
from linerate.models.runs.training import training_of
from linerate.tables.runs import check_runs

ASSUMED_SCORES = 39
"""Quantiles that stand for such scores."""


def loan_of(donors: Mapping[str, Predictor]) -> Loan:
    """Lend constants, domain and scores of the models of other boxes.

    Parameters
    ----------
    donors
        Their predictors, by the names of the boxes. Of several, the scores are those of the box
        that has most.

    Raises
    ------
    BadInputError
        One is not of the capacity model, or nothing is known of any.
    """
    paths: dict[str, tuple[PathCost, ...]] = {}
    shared = True
    for name, donor in donors.items():
        if not isinstance(donor.model, Capacity):
            raise bad_input("prior", name, why=f"its model is {donor.model.name}, which has no "
                            "constants of packets", allowed="a model fitted with --kind capacity",
                            do="fit it so")  # fmt: skip
        paths[name] = donor.model.paths
        shared = shared and donor.model.shared_access
    most = max(donors.values(), key=lambda donor: len(donor.conformal.load.buckets[-1].scores))
    return Loan(prior=prior_of(paths, shared_access=shared),
                domain=joined_domains([donor.domain for donor in donors.values()]),
                conformal=replace(most.conformal, lent=True))  # fmt: skip


def predictor_of_box(box: Box) -> Predictor:
    """Take the costs of a box file; growth with queues is guessed, which no box file says.

    Raises
    ------
    BadInputError
        It has no cost of a datapath and program, or a negative one.
    """
    found: dict[Pair, dict[str, float]] = {}
    for name, cost in box.costs.items():
        *pair, constant = name.split(".")
        if not constant.endswith("_ns"):  # of calibrations, of which some may be below 0
            continue
        if len(pair) == 2 and not cost.value_ns >= 0.0:
            raise bad_input("prior", box.name, why=f"its {name} is {cost.value_ns:g} ns",
                            allowed="times of 0 ns or more", do="correct the box file")  # fmt: skip
        if len(pair) == 2 and cost.value_ns > 0.0:
            found.setdefault(Pair(*pair), {})[constant] = cost.value_ns
    paths = [path for pair, costs in found.items() if (path := _path(pair, costs)) is not None]
    if not paths:
        raise bad_input("prior", box.name, why="the box has no cost of a datapath and program",
                        allowed="a box that linerate fit --box wrote, or a model file",
                        do="name one of these")  # fmt: skip
    return Predictor(model=Capacity(paths=tuple(paths)), domain=Domain(pairs=()),
                     conformal=_assumed())  # fmt: skip


def _path(pair: Pair, costs: Mapping[str, float]) -> PathCost | None:
    """Put a box's costs where they are guessed; None where they are of something else."""
    guessed = guessed_path(pair)
    known = {name: costs[name] for name in guessed.form.parameters if name in costs}
    return guessed.with_values(known) if "base_ns" in known else None


def _assumed() -> Conformal:
    """Scores of a law that is off by what is assumed of laws and of program loads."""
    from scipy.special import ndtri  # slow to load

    level = (np.arange(ASSUMED_SCORES) + 0.5) / ASSUMED_SCORES
    quantiles = ndtri(level)

    def reach(spread: float) -> Reach:
        bucket = Bucket(pair=None, scores=tuple(map(float, spread * quantiles)),
                        worth=float(ASSUMED_SCORES))  # fmt: skip
        return Reach(buckets=(bucket,), ceiling_half_width=HALF_WIDTH_MIN)

    return Conformal(load=reach(float(np.hypot(DEVIATION, LOAD_SPREAD))), median=reach(DEVIATION),
                     lent=True)  # fmt: skip


def donors_among(
    runs: pd.DataFrame, box: str
) -> tuple[pd.DataFrame, dict[str, Predictor], tuple[str, ...]]:
    """Part a table of several boxes into the runs of one and the models of the others.

    Parameters
    ----------
    runs
        A table of runs.
    box
        The one to be fitted, by its name in the column ``box``.

    Returns
    -------
    Its runs; the capacity models of others by name; and why others have none.

    Raises
    ------
    BadInputError
        No run is of the box, or some name none.
    """
    names = boxes_of(runs)
    if box not in names:
        raise bad_input("on", box, why="no run is of this box", allowed=", ".join(names),
                        do="name one of these")  # fmt: skip
    donors, notes = {}, []
    for name in names:
        if name == box:
            continue
        try:
            training = training_of(runs[runs["box"] == name])
            donors[name] = fit_predictor(Capacity, training, np.random.default_rng(0))
        except BadInputError as error:
            notes.append(f"box {name} lends nothing: {error}")
    return runs[runs["box"] == box], donors, tuple(notes)


def boxes_of(runs: pd.DataFrame) -> list[str]:
    """Name the boxes of a table.

    Raises
    ------
    BadInputError
        Some run names none.
    """
    checked = check_runs(runs)
    nameless = int((checked["box"].isna() | (checked["box"] == "")).sum())
    if nameless:
        raise bad_input("box", "", why=f"{nameless} of {len(runs)} runs name no machine",
                        allowed="a name in the column box of every run, where boxes are mixed",
                        do="fill it in")  # fmt: skip
    return [str(name) for name in checked["box"].unique()]


def predictor_of(loan: Loan) -> Predictor:
    """Predict for a box without a run of its own: everything is borrowed."""
    return Predictor(model=Capacity.of_prior(loan.prior), domain=loan.domain,
                     conformal=loan.conformal)  # fmt: skip
