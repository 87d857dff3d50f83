"""What a regression reads: log rates of one path, and the terms they are linear in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.line_rate import sustains
from linerate.models.runs.cells import Array, Cells, Codes, Pair
from linerate.models.runs.training import Training

TERMS = ("1", "log(queues)", "log(accesses + 1)", "log(accesses + 1)^2", "log(frame_bytes)")
"""What the log rate of each pair is a linear function of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """n runs of one pair, and k terms that they vary apart from each other."""

    log_mpps: pd.Series
    """Natural logarithm of what was forwarded, shape (n,)."""
    terms: pd.DataFrame
    """Shape (n, k); columns are some of ``TERMS``."""
    load: Codes
    """Runs of one program load share a code, shape (n,)."""

    @property
    def freedom(self) -> int:
        """Runs beyond those that the terms use up."""
        return len(self.log_mpps) - self.terms.shape[1]

    @property
    def repeats_loads(self) -> bool:
        """Whether some load has several runs, and there are more loads than terms."""
        loads = np.unique(self.load).size
        return self.terms.shape[1] < loads < len(self.load)


def sample_of(training: Training, pair: Pair) -> Sample:
    """Take the runs of one pair below their ceiling; all of them where none is.

    Terms that the runs do not vary, or not apart from the terms before them, are left out.
    """
    own = training.take(training.cells.pair == training.cells.pairs.index(pair))
    below = ~sustains(own.forwarded_mpps, own.ceiling_mpps)
    own = own.take(below) if below.any() else own
    terms = terms_of(own.cells)
    kept: list[int] = []
    for column in range(len(TERMS)):
        if np.linalg.matrix_rank(terms[:, [*kept, column]]) > len(kept):
            kept.append(column)
    return Sample(
        log_mpps=pd.Series(np.log(own.forwarded_mpps), name="log(Mpps)"),
        terms=pd.DataFrame(terms[:, kept], columns=[TERMS[column] for column in kept]),
        load=own.load,
    )


def terms_of(cells: Cells) -> Array:
    """Compute every term of n cells, shape (n, 5)."""
    accesses = np.log1p(cells.memory_accesses)
    return np.column_stack(
        [np.ones(len(cells)), np.log(cells.queues), accesses, accesses**2,
         np.log(cells.frame_bytes)]
    )  # fmt: skip
