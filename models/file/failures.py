"""Where a model is known to fail: by its form, and by what it got wrong when held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from linerate.models.intervals.extrapolation import ENDS, WIDENING, Widening
from linerate.models.operations.validation import Missed, MixValidation
from linerate.models.validation.residuals import residuals_by_path
from linerate.models.validation.validation import Validation

FACTORS_SEEN = ("queues", "memory_accesses", "frame_bytes")
"""Factors whose values are looked at one by one."""
CELLS_MIN = 3
"""Held-out cells below which a value is not listed."""
FLOORS, ERROR_PERCENT_MIN = 2.0, 10.0
"""A value is named where its mean error passes so many noise floors, and this."""
NAMED_MAX = 8
"""Values named, worst first."""
COVERAGE_MIN = 0.8
"""Share of loads inside their 90 % interval below which a path is named."""

ALWAYS = (
    "Programs, datapaths and settings that were not measured are not known, nor is another "
    "machine: its CPU, NIC, kernel or mitigations make other rates.",
    "Outside the domain an answer is given with a wider interval that promises no 90 %.",
    "Queues are taken to be loaded evenly.",
)
VETH = (
    "Rates of the veth lab hold generator and sink: what a program adds carries over to hardware, "
    "the rates do not."
)
EDGE = "Outside what it saw it repeats the edge, another link speed included."
STEPS = "Between the queues and frame sizes that it saw it goes in steps."
PRODUCT = (
    "A base path and the work on top of it add up, which a product of powers cannot say: it is "
    "wrong between few accesses and many."
)
BY_FORM = {
    "capacity": (
        "The time of an access is taken to be the same for each: a working set that outgrows a "
        "cache is not a straight line.",
        "Which queues and user threads share a core is not known: no law says how many "
        "queues take a socket's thread its core. Measure the most queues that will be used.",
    ),
    "hybrid": ("What it learned of residuals fades outside what it saw, to physics alone.",),
    "gp": (EDGE,),
    "boosting": (EDGE, STEPS),
    "forest": (EDGE, STEPS),
    "log_ols": (PRODUCT,),
    "log_wls": (PRODUCT,),
    "log_mixed": (PRODUCT,),
    "log_quantile": (PRODUCT,),
}  # fmt: skip
"""What the form of each model cannot say."""
OF_OPERATIONS = (
    "What steps of a packet do at once is one share of what they could hide: kinds that were never "
    "measured together are the least certain."
)


def known_failures(
    model: str,
    labs: tuple[str, ...],
    validation: Validation | None,
    widenings: Sequence[Widening] = (),
) -> tuple[str, ...]:
    """Say where a model fails, by its form and by what it got wrong, one sentence each.

    Parameters
    ----------
    model
        Its name.
    labs
        Labs and modes of its runs.
    validation
        Held-out cells; None where the runs are too few to hold any out.
    widenings
        How much wider its intervals have to be outside the domain, pair by pair.
    """
    lab = (VETH,) if any(name.startswith("veth") for name in labs) else ()
    outside = tuple(_not_beyond(widenings))
    if validation is None:
        return (*outside, *BY_FORM[model], *ALWAYS, *lab,
                "Too few program loads to hold any out: its error is not known.")  # fmt: skip
    return (*_found(validation), *outside, *BY_FORM[model], *ALWAYS, *lab)


def failures_of_operations(
    labs: tuple[str, ...], validation: MixValidation | None
) -> tuple[str, ...]:
    """Say where costs of operations fail: what was missed when held out comes first, worst first.

    Parameters
    ----------
    labs
        Labs and modes of the runs.
    validation
        Works held out; None where that is not known.
    """
    missed = validation.missed if validation is not None else ()
    # What could not be answered at all is the worst.
    worst = sorted(missed, key=lambda one: -np.nan_to_num(abs(one.error_percent), nan=np.inf))
    lab = (VETH,) if any(name.startswith("veth") for name in labs) else ()
    return (*map(_missed, worst[:NAMED_MAX]), OF_OPERATIONS, *ALWAYS, *lab)


def _missed(one: Missed) -> str:
    if np.isnan(one.error_percent):
        return f"{one.work}, held out, has no answer: {one.why}."
    return f"{one.work}: {one.error_percent:+.0f} % held out ({one.why})."


def _found(validation: Validation) -> tuple[str, ...]:
    frame = validation.frame.assign(
        off=validation.frame["predicted_mpps"] / validation.frame["measured_mpps"] - 1.0
    )
    floor = validation.scores.noise_floor
    least = max(FLOORS * floor.mean_percent if floor else 0.0, ERROR_PERCENT_MIN)
    wrong = sorted(_by_values(frame, least), reverse=True)
    return (*(text for _, text in wrong[:NAMED_MAX]), *_not_covered(validation))


def _by_values(frame: pd.DataFrame, least_percent: float) -> Iterator[tuple[float, str]]:
    for factor in FACTORS_SEEN:
        for (datapath, program, value), cells in frame.groupby(["datapath", "program", factor]):
            off = 100.0 * cells["off"].to_numpy(dtype=np.float64)
            error, bias = float(np.abs(off).mean()), float(np.median(off))
            if len(off) >= CELLS_MIN and error > least_percent:
                where = f"{datapath}/{program}, {factor} {value:g}"
                side = "high" if bias > 0 else "low"
                text = (
                    f"{where}: mean error {error:.0f} % over {len(off)} cells held out, half of "
                    f"them {abs(bias):.0f} % or more too {side}."
                )
                yield error, text


def _not_covered(validation: Validation) -> Iterator[str]:
    for path in residuals_by_path(validation):
        if path.coverage < COVERAGE_MIN:
            yield (f"{path.pair}: only {path.coverage:.0%} of the loads of {path.cells} cells held "
                   "out lie inside their 90 % interval.")  # fmt: skip


def _not_beyond(widenings: Sequence[Widening]) -> Iterator[str]:
    """Name the factors of a path whose last value, held out, was missed by more than the rule."""
    for known in widenings:
        for factor in ENDS:
            rate = getattr(known, factor)
            if known.pair is not None and rate > WIDENING:
                yield (f"{known.pair}, {factor}: held out, the last value seen needed intervals "
                       f"{1.0 + rate:.1f} times as wide for each doubling: measure {factor} as "
                       "far as you ask.")  # fmt: skip
