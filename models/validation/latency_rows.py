"""Latencies of runs that were held out, beside what models of the other runs say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.latency.chain_rtt import fit_chain_rtt
from linerate.models.latency.model import LatencyModel, fit_latency
from linerate.models.latency.overload import fit_overload, flooded_runs, overloaded
from linerate.models.latency.quantiles import UTILISATION_MAX
from linerate.models.latency.round_trips import pinged_chains
from linerate.models.runs.cells import Array, Mask, Pair, cells_of
from linerate.models.runs.training import Training, training_of
from linerate.models.validation.folds import HoldOut, hold_out

ROWS = ("quantity", "name", "held_out", "cell", "measured_us", "predicted_us", "level_us", "scale")
"""Columns of every table here. ``cell`` is alike for repetitions, ``scale`` what they are divided
by before they are compared, ``level_us`` the median that the training runs of the name measured."""
BY_PREDICTED, BY_MEASURED = "mean in overload", "mean in overload, at the measured rate"
COLUMNS = ("latency_mean_us", "latency_p50_us", "latency_p99_us")
"""What is predicted below saturation."""


def overload_rows(runs: pd.DataFrame, how: HoldOut) -> pd.DataFrame:
    """Mean latencies of flooded runs whose rings were full, by predicted and by measured rates.

    A run of which the model says that its rings were not full has no prediction. The rate of a
    held-out run is its own in the second quantity: its latency stays unseen.
    """
    flooded = flooded_runs(runs)
    if flooded.empty:
        return _rows([], "")
    training, parts = training_of(flooded), []
    repetition = flooded["repetition"].to_numpy().astype(int)
    for seen, held in how.parts(training):
        model = fit_overload(flooded.iloc[seen])
        full = held.take(overloaded(held))
        full = full.take(_known(full, model.pairs if model else ()))
        if model is None or not len(full):
            continue
        rings = {ring.repetition: ring.packets for ring in model.rings}
        level_us = _level(flooded.iloc[seen], "latency_mean_us", full)
        known = [rings.get(each, model.ring_packets) for each in repetition[full.row]]
        for quantity, rate_mpps in ((BY_PREDICTED, None), (BY_MEASURED, full.forwarded_mpps)):
            predicted_us = model.latency_us(full.cells, repetition[full.row], rate_mpps)
            part = _part(full, full.latency_us, predicted_us, level_us)
            parts.append(part.assign(scale=known, quantity=quantity))
    return _rows(parts, how.by)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatencyFold:
    """A latency model, and load-latency runs that it has not seen."""

    model: LatencyModel
    seen: pd.DataFrame
    """What it was fitted on."""
    held: Training
    """What it can answer of the others."""
    table: pd.DataFrame
    """The same runs as a table."""


def latency_folds(runs: pd.DataFrame, how: HoldOut) -> tuple[LatencyFold, ...]:
    """Fit latency on what each fold leaves of the load-latency runs."""
    split, folds = split_mode(runs), []
    training = training_of(split) if len(split) else None
    for seen, held in how.parts(training) if training else ():
        model = fit_latency(split.iloc[seen])
        known = held.take(_known(held, model.pairs if model else ()))
        if model is not None and len(known):
            folds.append(LatencyFold(model=model, seen=split.iloc[seen], held=known,
                                     table=split.iloc[known.row]))  # fmt: skip
    return tuple(folds)


def split_rows(folds: Sequence[LatencyFold], held_out: str) -> pd.DataFrame:
    """Means, medians and p99 of load-latency runs below 80 % of the predicted capacity."""
    parts = []
    for fold in folds:
        predicted = fold.model.predict_cells(fold.held.cells)
        quantiles_us = fold.model.predict_quantiles_us(fold.table)
        held_below = fold.held.cells.offered_mpps <= UTILISATION_MAX * predicted.capacity_mpps
        below = _below(fold.seen, fold.model)
        for column, predicted_us in zip(COLUMNS, (predicted.mean_us, *quantiles_us.T), strict=True):
            if column in fold.table.columns:
                measured_us = fold.table[column].to_numpy(dtype=np.float64)
                level_us = _level(below, column, fold.held)
                part = _part(fold.held, measured_us, predicted_us, level_us)
                parts.append(part[held_below].assign(quantity=column.split("_")[1]))
    return _rows(parts, held_out)


def _below(seen: pd.DataFrame, model: LatencyModel) -> pd.DataFrame:
    """Training runs in the range that is predicted, so that their level is a fair one."""
    cells = cells_of(seen)
    capacity_mpps = model.capacity.limits(cells).service_mpps
    return seen[cells.offered_mpps <= UTILISATION_MAX * capacity_mpps]


def chain_rows(runs: pd.DataFrame, how: HoldOut) -> pd.DataFrame:
    """Round trips of chains, each length from one function on held out in turn, whatever is asked.

    Chains differ in their length alone.
    """
    parts = []
    for kind, chain in pinged_chains(runs):
        for held in hold_out(chain["chain_length"].to_numpy(dtype=np.intp)):
            for which in ("p50", "mean"):
                if f"rtt_{which}_us" not in chain.columns:
                    continue
                parts += _round_trips(f"rtt_{which}_us", str(kind), chain[held], chain[~held])
    return _rows(parts, "chain_length")


def _round_trips(
    column: str, name: str, held: pd.DataFrame, seen: pd.DataFrame
) -> list[pd.DataFrame]:
    try:
        line = fit_chain_rtt(seen["chain_length"], seen[column])
    except BadInputError:
        return []
    cell = name + "/" + held["chain_length"].astype(int).astype(str)
    return [pd.DataFrame({
        "quantity": "round trip " + column.split("_")[1], "name": name,
        "cell": cell, "measured_us": held[column],
        "predicted_us": line.rtt_us(held["chain_length"]), "level_us": float(seen[column].median()),
        "scale": 1.0,
    })]  # fmt: skip


def split_mode(runs: pd.DataFrame) -> pd.DataFrame:
    """Take the load-latency runs of one program a path: not of chains, nor of pipelines."""
    if "mode" not in runs.columns:
        return runs.iloc[:0]
    usual = ~runs["datapath"].isin(["chain", "swx"])
    return runs[(runs["mode"] == "split") & usual & (runs["latency_mean_us"] > 0.0)]


def _level(seen: pd.DataFrame, column: str, held: Training) -> Array:
    """Median of the training runs of each run's path."""
    by_pair = seen.groupby(["datapath", "program"])[column].median()
    of_pair = [by_pair.get(tuple(pair), np.nan) for pair in held.cells.pairs]
    return np.asarray(of_pair, dtype=np.float64)[held.cells.pair]


def _known(runs: Training, pairs: Sequence[Pair]) -> Mask:
    return np.array([pair in pairs for pair in runs.cells.pairs], dtype=np.bool_)[runs.cells.pair]


def _part(held: Training, measured_us: Array, predicted_us: Array, level_us: Array) -> pd.DataFrame:
    return pd.DataFrame({
        "name": np.array(list(map(str, held.cells.pairs)))[held.cells.pair], "cell": held.cell,
        "measured_us": measured_us, "predicted_us": predicted_us, "level_us": level_us,
        "scale": 1.0,
    })  # fmt: skip


def _rows(parts: list[pd.DataFrame], held_out: str) -> pd.DataFrame:
    """Put folds together."""
    if not parts:
        return pd.DataFrame(columns=list(ROWS))
    rows = pd.concat(parts, ignore_index=True).assign(held_out=held_out)
    measured = rows["measured_us"] > 0.0
    return rows.loc[measured, list(ROWS)].reset_index(drop=True)
