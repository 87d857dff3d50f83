"""Constants of the physical model: robust least squares on log rates, below the ceilings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linerate.models.capacity.collapsed import collapsed, loss_of
from linerate.models.capacity.packet_time import USER, PathForm, service_mpps
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.prior import (
    LOG_MAX,
    LOG_MIN,
    LOGARITHMIC,
    USER_SHARE,
    Guess,
    guess_of,
)
from linerate.models.capacity.start import borrowed_start, start_of
from linerate.models.capacity.transfer import Prior
from linerate.models.one_thread import one_thread
from linerate.models.runs.cells import Array, Mask, Pair
from linerate.models.runs.training import Training

LOSS_SCALE = 0.03
"""Log residual beyond which a run weighs less: about the random effect of one program load."""
PLATEAU = 0.01
"""Rates within this share of the highest lie on one plateau."""
TOLERANCE = 1e-6
"""Relative change that ends a fit: far below the random effect of a program load."""
SHORTER = float(np.log(0.4))
"""Log user stage of a second start over that of the first."""
STEP = float(np.finfo(np.float64).eps ** 0.5)
"""Of forward differences, relative to constants above 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Place of one constant in the vector that is fitted."""

    paths: tuple[int, ...]
    """Paths that use it."""
    name: str
    start: float
    low: float
    high: float
    borrowed: Guess | None = None
    """What other boxes lead to expect of it."""

    @property
    def guess(self) -> Guess | None:
        """What is assumed of it before any run, if anything."""
        if self.borrowed is not None:
            return self.borrowed
        return guess_of(self.name, USER) if self.name not in LOGARITHMIC else None


def fit_paths(
    training: Training, forms: dict[Pair, PathForm], *, shared_access: bool,
    nic_mpps: float = np.inf, prior: Prior | None = None,
) -> tuple[PathCost, ...]:  # fmt: skip
    """Fit every path; those that share a program may share the cost of an access.

    Line-limited runs only bound the service time from above, as the residual
    ``log(min(ceiling, service)) - log(observed)`` says by itself. What is assumed of a constant
    (``prior.py``, and of other boxes ``prior``) counts as one run whose residual is its distance
    from there.
    """
    paths: list[PathCost] = []
    programs = sorted({pair.program for pair in forms}) if shared_access else []
    groups = [[p for p in forms if p.program == name] for name in programs]
    for group in groups or [[pair] for pair in forms]:
        rows = np.isin(training.cells.pair, [training.cells.pairs.index(pair) for pair in group])
        own = {pair: forms[pair] for pair in group}
        paths.extend(_fit_group(training.take(rows), own, nic_mpps, prior))
    return tuple(paths)


def _fit_group(
    training: Training, forms: dict[Pair, PathForm], nic_mpps: float, prior: Prior | None
) -> list[PathCost]:
    from scipy.optimize import least_squares  # slow to load

    starts = [
        borrowed_start(prior, pair, form) or start_of(_of(training, pair), pair, form, nic_mpps)
        for pair, form in forms.items()
    ]
    if any(path.bounded for path in starts):
        free = {p.pair: p.form for p in starts if not p.bounded}
        fitted = {
            q.pair: q for p in free
            for q in _fit_group(_of(training, p), {p: free[p]}, nic_mpps, prior)
        }  # fmt: skip
        return [fitted.get(path.pair, path) for path in starts]
    slots = _slots(starts, prior)
    few, weight = collapsed(training, LOSS_SCALE)
    residuals = _residuals(few, starts, slots, nic_mpps)
    highest = np.array([slot.high for slot in slots])

    @lru_cache(maxsize=1)
    def tangent(place: bytes) -> tuple[Array, Array]:
        """Residuals and forward differences, all at once; backward where a bound is in the way."""
        vector = np.frombuffer(place)
        steps = STEP * np.maximum(1.0, np.abs(vector))
        steps = np.where(vector + steps > highest, -steps, steps)
        ahead = residuals(np.vstack([vector, vector + np.diag(steps)]))
        return ahead[0], np.asarray((ahead[1:] - ahead[0]).T / steps)

    # SciPy scales what it is given in place, and asks for both of most vectors.
    def residual(vector: Array) -> Array:
        return tangent(vector.tobytes())[0].copy()

    def slopes(vector: Array) -> Array:
        return tangent(vector.tobytes())[1].copy(order="K")

    with one_thread():
        solutions = [
            least_squares(
                residual,
                begin,
                jac=slopes,
                bounds=([slot.low for slot in slots], highest),
                loss=loss_of(weight),
                f_scale=LOSS_SCALE,
                x_scale="jac",
                max_nfev=200,
                ftol=TOLERANCE,
                xtol=TOLERANCE,
            )
            for begin in _begins(slots)
        ]
    solution = min(solutions, key=lambda found: float(found.cost))
    return list(_unpack(solution.x, slots, starts))


def _begins(slots: list[Slot]) -> list[list[float]]:
    """Lay out where fits begin: two where a full ring slows the user stage.

    Much of a user stage by itself and little of a full ring, and the other way round, fit nearly
    alike: from one side a fit does not find the other.
    """
    first = [slot.start for slot in slots]
    if not any(slot.name == "crowding" for slot in slots):
        return [first]
    return [first, [slot.start + SHORTER if slot.name == "user_ns"
                    else 0.5 * (slot.start + slot.high) if slot.name == "crowding"
                    else slot.start for slot in slots]]  # fmt: skip


def _residuals(
    training: Training, starts: list[PathCost], slots: list[Slot], nic_mpps: float
) -> Callable[[Array], Array]:
    """Make the residuals of many vectors at once: shape (k, slots) to (k, runs and surprises)."""
    observed = np.log(training.forwarded_mpps)
    distances, expected = assumptions(slots)
    # Runs of one cell have one prediction.
    _, first, of_run = np.unique(training.cell, return_index=True, return_inverse=True)
    distinct = training.take(first)
    parts = [
        (rows, distinct.cells.take(rows))
        for rows in (np.flatnonzero(_rows(distinct, path.pair)) for path in starts)
    ]
    constants = [path.constants() for path in starts]
    own = [[(column, slot.name) for column, slot in enumerate(slots) if code in slot.paths]
           for code in range(len(starts))]  # fmt: skip
    logarithmic = np.array([slot.name in LOGARITHMIC for slot in slots])
    # No constant moves a ceiling: those of the starts hold throughout.
    ceiling_mpps = path_limits(tuple(starts), distinct.cells, nic_mpps).ceiling_mpps

    def residuals(vectors: Array) -> Array:
        values = np.where(logarithmic, np.exp(np.where(logarithmic, vectors, 0.0)), vectors)
        mpps = np.empty((len(vectors), len(distinct)))
        for path, known, named, (rows, cells) in zip(starts, constants, own, parts, strict=True):
            tried = known | {name: values[:, column, None] for column, name in named}
            mpps[:, rows], _ = service_mpps(path.form, tried, cells)
        left = np.log(np.minimum(mpps, ceiling_mpps))[:, of_run] - observed
        return np.hstack([left, LOSS_SCALE * (vectors @ distances.T - expected)])

    return residuals


def _value(name: str, place: float) -> float:
    return float(np.exp(place)) if name in LOGARITHMIC else place


def _of(training: Training, pair: Pair) -> Training:
    return training.take(_rows(training, pair))


def _rows(training: Training, pair: Pair) -> Mask:
    return np.asarray(training.cells.pair == training.cells.pairs.index(pair))


def _slots(starts: list[PathCost], prior: Prior | None = None) -> list[Slot]:
    """Lay out the constants; several paths together share the cost of an access."""
    slots = []
    sharing = tuple(code for code, path in enumerate(starts) if path.form.by_access)
    for code, path in enumerate(starts):
        for name in path.form.parameters:
            if name == "access_ns" and code != sharing[0]:
                continue
            paths = sharing if name == "access_ns" else (code,)
            borrowed = _expected(prior, [starts[user].pair for user in paths], name)
            slots.append(_slot(paths, name, getattr(path, name, 0.05), borrowed))
    return slots


def _expected(prior: Prior | None, pairs: list[Pair], name: str) -> Guess | None:
    """Take what is expected of a constant from the first path that other boxes have, too."""
    guesses = (prior.guess_of(pair, name) for pair in pairs) if prior is not None else ()
    return next((guess for guess in guesses if guess is not None), None)


def _slot(paths: tuple[int, ...], name: str, start: float, borrowed: Guess | None) -> Slot:
    if name in LOGARITHMIC:
        return Slot(paths=paths, name=name, start=np.log(start), low=LOG_MIN, high=LOG_MAX,
                    borrowed=borrowed)  # fmt: skip
    guess = borrowed or guess_of(name, USER)
    return Slot(paths=paths, name=name, start=guess.start, low=0.0, high=guess.highest,
                borrowed=borrowed)  # fmt: skip


def slots_of(path: PathCost, prior: Prior | None = None) -> list[Slot]:
    """Lay out the constants of one path, in the order of its form."""
    return _slots([path], prior)


def assumptions(slots: list[Slot]) -> tuple[Array, Array]:
    """Say what is assumed of constants: ``distances @ vector - expected`` are surprises in spreads.

    Returns
    -------
    Shapes (assumptions, slots) and (assumptions,).
    """
    places = {(slot.paths, slot.name): row for row, slot in enumerate(slots)}
    known = np.eye(len(slots))
    # Each is one constant, or the user stage's over the kernel's: a difference of logarithms.
    assumed = [(known[row], slot.guess) for row, slot in enumerate(slots) if slot.guess is not None]
    assumed += [(known[row] - known[places[paths, "base_ns"]], USER_SHARE)
                for (paths, name), row in places.items()
                if name == "user_ns" and slots[row].borrowed is None]  # fmt: skip
    distances = np.array([row / guess.spread for row, guess in assumed]).reshape(-1, len(slots))
    return distances, np.array([guess.centre / guess.spread for _, guess in assumed])


def _unpack(vector: Array, slots: list[Slot], starts: list[PathCost]) -> tuple[PathCost, ...]:
    return tuple(
        start.with_values({
            slot.name: _value(slot.name, float(value))
            for slot, value in zip(slots, vector, strict=True)
            if code in slot.paths
        })
        for code, start in enumerate(starts)
    )  # fmt: skip


def nic_cap_mpps(training: Training) -> float | None:
    """Rate of a plateau below line rate that neither queues nor accesses explain, if any.

    Identifiable only where cells of at least two queue counts and three access counts, at the
    line rate of none, share the table's highest rate.
    """
    medians = training.medians()
    top_mpps = float(medians.forwarded_mpps.max())
    level = medians.forwarded_mpps > (1.0 - PLATEAU) * top_mpps
    free = medians.ceiling_mpps > (1.0 + 3 * PLATEAU) * top_mpps
    rows = medians.take(level & free)
    varied = np.unique(rows.cells.queues).size >= 2
    if varied and np.unique(rows.cells.memory_accesses).size >= 3:
        return top_mpps
    return None
