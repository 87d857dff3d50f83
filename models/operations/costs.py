"""What operations cost by the one fit: at each number measured, and of mixes beside their parts.

Reports, the page of rates and predictions all read these constants.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from linerate.models.operations.model import Mixes
from linerate.models.operations.predictor import MixPredictor
from linerate.models.operations.terms import Term
from linerate.models.operations.work import Work
from linerate.normal import NORMAL_90

ADDITIVE_RATIO = 0.15
"""A mix whose measured cost is as near to the sum of its parts' as this is additive."""


def costs(mixes: MixPredictor) -> pd.DataFrame:
    """Time that each kind of operation adds to a packet, at each number that was measured alone.

    Between two numbers a cost is on a straight line; it is never below 0.

    Returns
    -------
    A row for each work of one kind: ``datapath, program, settings, set_bytes, kind, times``;
    ``measured_ns`` over the same packet without operations (nan where that was not measured);
    ``added_ns`` by the fit, with the ends ``lower_ns`` and ``upper_ns`` of its 90 % interval; and
    ``each_ns``, the share of one operation.
    """
    alone = {work: ns for work, ns in _times(mixes).items() if len(work.steps) == 1}
    rows = []
    for work in sorted(alone, key=_order):
        ((kind, times),) = work.steps
        added_ns, error_ns = mixes.model.added_ns(work)
        rows.append(_place(work) | {
            "kind": kind, "times": times, "measured_ns": alone[work] - _base_ns(work, mixes),
            "added_ns": added_ns, "lower_ns": max(added_ns - NORMAL_90 * error_ns, 0.0),
            "upper_ns": added_ns + NORMAL_90 * error_ns, "each_ns": added_ns / times,
        })  # fmt: skip
    return pd.DataFrame(rows)


def interactions(mixes: MixPredictor) -> pd.DataFrame:
    """Time that each mix adds to a packet, beside what its kinds add alone.

    Returns
    -------
    A row for each work of several kinds: ``datapath, program, settings, set_bytes, operations``
    (pairs of kind and number); ``measured_ns`` over the same packet without operations, where
    that was measured; ``parts_ns``, the sum of what each kind adds alone; ``hidden_ns``, what of
    it a core executes at the same time as the rest; ``linked_ns``, what reads of registers wait
    for the writes just before them; ``interaction_ns`` for each operation of the
    kind that is fewest, with its ends; ``added_ns`` by all four; ``parts_percent`` and
    ``residual_percent``, measured over the sum and over the fit, less 1; ``additive``; ``mixes``
    that the interaction was fitted on: one cannot confirm its own.
    """
    mixed = {work: ns - _base_ns(work, mixes) for work, ns in _times(mixes).items()
             if len(work.steps) > 1}  # fmt: skip
    kinds = [(work.scope, work.kinds) for work in mixed]
    return pd.DataFrame([
        _interaction(work, mixed[work], mixes.model)
        | {"mixes": kinds.count((work.scope, work.kinds))}
        for work in sorted(mixed, key=_order) if np.isfinite(mixed[work])
    ])  # fmt: skip


def _interaction(work: Work, measured_ns: float, model: Mixes) -> dict[str, object]:
    parts_ns, _ = model.added_ns(work)
    hidden_ns, linked_ns = model.overlap * model.hidden_ns(work), model.linked_ns(work)
    term = Term("interaction", work.scope, " + ".join(sorted(work.kinds)))
    each_ns, error_ns = model.solution.sum_ns({term: 1.0})
    added_ns = parts_ns - hidden_ns + linked_ns + each_ns * min(times for _, times in work.steps)
    return _place(work) | {
        "operations": work.steps, "measured_ns": measured_ns, "parts_ns": parts_ns,
        "hidden_ns": hidden_ns, "linked_ns": linked_ns, "interaction_ns": each_ns,
        "lower_interaction_ns": each_ns - NORMAL_90 * error_ns,
        "upper_interaction_ns": each_ns + NORMAL_90 * error_ns, "added_ns": added_ns,
        "parts_percent": 100.0 * (measured_ns / parts_ns - 1.0),
        "residual_percent": 100.0 * (measured_ns / added_ns - 1.0),
        "additive": abs(measured_ns / parts_ns - 1.0) <= ADDITIVE_RATIO,
    }  # fmt: skip


def _times(mixes: MixPredictor) -> dict[Work, float]:
    return dict(zip(mixes.works, mixes.packet_ns, strict=True))


def _base_ns(work: Work, mixes: MixPredictor) -> float:
    """Measured time of the same packet without operations; nan where there is none."""
    return _times(mixes).get(replace(work, steps=(), set_bytes=0, unpriced=0), np.nan)


def _place(work: Work) -> dict[str, object]:
    return {"datapath": work.scope, "program": work.base, "settings": dict(work.settings),
            "set_bytes": work.set_bytes}  # fmt: skip


def _order(work: Work) -> tuple[object, ...]:
    kinds = [kind for kind, _ in work.steps]
    return work.scope, work.base, kinds, work.settings, work.set_bytes, work.steps
