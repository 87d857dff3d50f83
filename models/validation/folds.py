"""Ways to hold runs out. Runs of one load share a random effect: a random split leaks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from linerate.errors import bad_input
from linerate.messages import note
from linerate.models.runs.cells import Array, Codes, Mask

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

Split = Literal["group", "frame_bytes", "memory_accesses", "queues", "random", "sparse", "box"]
SPLITS: tuple[Split, ...] = (
    "group", "frame_bytes", "memory_accesses", "queues", "random", "sparse",
)  # fmt: skip
"""group: whole (datapath, program, queues, accesses) groups; random: single cells; sparse: all
cells but a random tenth; else one value of the factor at a time, of more than ``VALUES_MAX``
several that are spread over its range. A box is held out of a table of several
(``models.validation.boxes``)."""
VALUES_MAX = 12
"""Values of a factor up to which each is a fold of its own."""
SPARSE = 10
"""One in so many cells is what the sparse split learns from."""


def partitions(
    training: Training, by: Split, folds: int, rng: np.random.Generator
) -> Iterator[tuple[Training, Training]]:
    """Yield the runs that a model may see, and those held out: one pair a fold.

    Runs of a datapath and program that the model does not see at all are in neither.

    Raises
    ------
    BadInputError
        The table has one value only of what is to be held out.
    """
    codes = fold_codes(training, by, folds, rng)
    for fold in islice(hold_out(codes), folds if by == "sparse" else None):
        yield _parted(training, fold, by)


def partition(
    training: Training, by: Split, folds: int, rng: np.random.Generator, number: int
) -> tuple[Training, Training]:
    """Give one pair of ``partitions``, by its number from 0, without making the others.

    Raises
    ------
    BadInputError
        The table has one value only of what is to be held out.
    """
    codes = fold_codes(training, by, folds, rng)
    return _parted(training, codes == np.unique(codes)[number], by)


def _parted(training: Training, fold: Mask, by: Split) -> tuple[Training, Training]:
    seen = fold if by == "sparse" else ~fold
    known = np.isin(training.cells.pair, np.unique(training.cells.pair[seen]))
    return training.take(seen), training.take(~seen & known)


def hold_out(codes: Codes) -> Iterator[Mask]:
    """Yield what is held out together: where each distinct code stands, ascending.

    >>> [fold.tolist() for fold in hold_out(np.array([1, 0, 1]))]
    [[False, True, False], [True, False, True]]
    """
    for code in np.unique(codes):
        yield codes == code


def fold_count(training: Training, by: Split, folds: int, rng: np.random.Generator) -> int:
    """Count the folds that ``partitions`` will yield.

    Raises
    ------
    BadInputError
        The table has one value only of what is to be held out.
    """
    distinct = np.unique(fold_codes(training, by, folds, rng)).size
    return min(distinct, folds) if by == "sparse" else distinct


def fold_codes(training: Training, by: Split, folds: int, rng: np.random.Generator) -> Codes:
    """Assign each run to the fold that holds it out, or alone sees it (sparse), shape (n,).

    Raises
    ------
    BadInputError
        The table has one value only of what is to be held out.
    """
    if by == "sparse":
        return shuffled_folds(training.cell, SPARSE, rng)
    if by in ("group", "random"):
        return shuffled_folds(training.group if by == "group" else training.cell, folds, rng)
    values: Array = getattr(training.cells, by)
    distinct, codes = np.unique(values, return_inverse=True)
    if distinct.size < 2:
        raise bad_input(
            "by", by, why=note("every run has {by}={value}", by=by, value=f"{distinct[0]:g}"),
            allowed=", ".join(SPLITS), do=note("measure a second value, or validate by group"),
        )  # fmt: skip
    if distinct.size > VALUES_MAX:
        return shuffled_folds(codes, VALUES_MAX, rng)
    return codes.astype(np.intp)


def shuffled_folds(groups: Codes, folds: int, rng: np.random.Generator) -> Codes:
    """Deal whole groups out to folds; group codes ascend by pair, so that each fold has all.

    Values of a factor ascend: of each run of neighbours every fold has one.
    """
    distinct, codes = np.unique(groups, return_inverse=True)
    if distinct.size < 2:
        raise bad_input(
            "groups", distinct.size, why=note("nothing is left when the only one is held out"),
            allowed=note("at least 2 (datapath, program, queues, accesses) groups"),
            do=note("measure more access counts or queues"),
        )  # fmt: skip
    # One of each fold in every run of neighbouring groups: pairs and queues are spread evenly.
    deals = -(-distinct.size // folds)
    dealt = np.concatenate([rng.permutation(folds) for _ in range(deals)])[: distinct.size]
    return np.asarray(dealt[codes], dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOut:
    """How runs are held out of a table."""

    by: Split
    folds: int
    rng: np.random.Generator

    def parts(self, training: Training) -> Iterator[tuple[Codes, Training]]:
        """Yield the rows of the table that a model may see, and the runs held out."""
        for seen, held in partitions(training, self.by, self.folds, self.rng):
            yield seen.row, held
