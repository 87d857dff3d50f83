"""Whether a predictor that was read from a file can answer at all: a file may be edited by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from linerate.models.capacity.model import Capacity
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.scaling import COEFFICIENTS, Law
from linerate.models.intervals.domain import Domain, PairDomain, Range
from linerate.models.intervals.extrapolation import MOST, Widening
from linerate.models.intervals.intervals import Reach
from linerate.models.intervals.predictor import Predictor
from linerate.models.runs.cells import FACTORS, cells_at


def check_predictor(predictor: Predictor) -> None:
    """Refuse what would answer with a number that means nothing.

    Raises
    ------
    ValueError
        What is wrong, and where.
    """
    for part in (predictor.model, predictor.domain, predictor.conformal):
        for place, value in _numbers(part):
            _require(not np.isnan(value), f"{place}: it is not a number")
    known = [each.pair for each in predictor.domain.pairs]
    _require(bool(known) and len(set(known)) == len(known), "domain: a path is there twice, or "
             "none is")  # fmt: skip
    _require(sorted(known) == sorted(predictor.pairs), "domain: it is of other paths")
    _check_ranges(predictor.domain)
    for reach in (predictor.conformal.load, predictor.conformal.median):
        _check_scores(reach)
    if isinstance(predictor.model, Capacity):
        for path in predictor.model.paths:
            _check_path(path)
        _check_loan(predictor.model)
        cap_mpps = predictor.model.nic_cap_mpps
        _require(cap_mpps is None or cap_mpps > 0.0, "nic_cap_mpps: it is not above 0")
    for widening in predictor.conformal.widenings:
        _check_widening(widening)
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            _check_answers(predictor)
    except FloatingPointError as error:
        raise ValueError(f"inside its own domain it answers with no number ({error})") from error


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise ValueError(what)


def _numbers(value: object, place: str = "") -> Iterator[tuple[str, float]]:
    """Every float inside plain values, and where it is; of many together, one that is none."""
    if isinstance(value, float):
        yield place, value
    elif isinstance(value, tuple) and value and {type(one) for one in value} == {float}:
        # Scores are as many as runs.
        number = int(np.argmax(np.isnan(np.array(value))))
        yield f"{place}.{number}".removeprefix("."), value[number]
    else:
        for name, inner in _parts(value):
            yield from _numbers(inner, f"{place}.{name}".removeprefix("."))


def _parts(value: object) -> Iterable[tuple[object, object]]:
    if is_dataclass(value) and not isinstance(value, type):
        return ((one.name, getattr(value, one.name)) for one in fields(value))
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _check_ranges(domain: Domain) -> None:
    for known in domain.pairs:
        for name in FACTORS:
            own: Range = getattr(known, name)
            _require(0.0 <= own.low <= own.high, f"domain, {known.pair}: {name} from {own.low:g} "
                     f"to {own.high:g} is not a range")  # fmt: skip


def _check_scores(reach: Reach) -> None:
    buckets = reach.buckets
    _require(bool(buckets) and buckets[-1].pair is None, "conformal: the last bucket must be that "
             "of all paths")  # fmt: skip
    for bucket in buckets:
        finite = bool(np.isfinite(bucket.scores).all())
        _require(finite and sorted(bucket.scores) == list(bucket.scores),
                 "conformal: scores must be finite, and ascend")  # fmt: skip
        few, many = bool(bucket.scores), len(bucket.scores)
        _require(few <= bucket.worth <= many, "conformal: scores must be worth one, and at most "
                 "their number")  # fmt: skip
    _require(0.0 < reach.ceiling_half_width < np.inf, "conformal: ceiling_half_width must be "
             "above 0")  # fmt: skip


def _check_widening(widening: Widening) -> None:
    for name in FACTORS:
        share = getattr(widening, name)
        _require(0.0 <= share <= MOST, f"conformal: a widening by {name} of {share:g} is "
                 f"not in 0..{MOST:g}")  # fmt: skip


def _check_path(path: PathCost) -> None:
    lengths: tuple[tuple[Law, tuple[float, ...]], ...] = (
        (path.form.law, path.coefficients),
        (path.form.user_law, path.user_coefficients),
    )
    for law, coefficients in lengths:
        _require(len(coefficients) == len(COEFFICIENTS[law]),
                 f"{path.pair}: {law} has {len(COEFFICIENTS[law])} coefficients")  # fmt: skip
    for name, value in path.values().items():
        _require(0.0 <= value < np.inf, f"{path.pair}: {name} must be 0 or more")
    _require(path.base_ns > 0.0, f"{path.pair}: base_ns must be above 0")


def _check_loan(model: Capacity) -> None:
    spread = model.prior.spread if model.prior is not None else 1.0
    _require(0.0 < spread < np.inf, f"prior: its spread is {spread:g}, and must be above 0")
    for one in model.borrowed:
        variances = np.diag(np.array(one.covariance))
        _require(bool((variances >= 0.0).all()), f"borrowed, {one.pair}: a variance is below 0")


def _check_answers(predictor: Predictor) -> None:
    corners = [_corner(known, end) for known in predictor.domain.pairs for end in ("low", "high")]
    predicted = predictor.predict_cells(cells_at(corners, predictor.pairs))
    ends = ((predicted.lower_mpps, predicted.upper_mpps),
            (predicted.lower_median_mpps, predicted.upper_median_mpps))  # fmt: skip
    for lower, upper in ends:
        fine = (lower <= predicted.predicted_mpps) & (predicted.predicted_mpps <= upper)
        _require(bool((fine & (lower > 0.0)).all()),
                 "it answers with no interval inside its own domain")  # fmt: skip


def _corner(known: PairDomain, end: str) -> dict[str, object]:
    factors = {name: getattr(getattr(known, name), end) for name in FACTORS}
    return {"datapath": known.pair.datapath, "program": known.pair.program, **factors}
