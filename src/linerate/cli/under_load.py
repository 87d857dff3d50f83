"""What a model file says of a cell at an offered load: latency, and how busy its cores are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from linerate.cli.output import stderr
from linerate.errors import BadInputError
from linerate.models import cells_of
from linerate.models.modelfile import ModelFile
from linerate.models.queueing import LatencyModel
from linerate.models.queueing.busy import utilisation
from linerate.models.queueing.overload import Overload
from linerate.records import Predictions

Answer = dict[str, object]


def under_load(fitted: ModelFile, cell: pd.DataFrame, rates: Predictions) -> Answer:
    """CPU at an offered load, and latency where the model file knows it; empty without a load."""
    if "offered_mpps" not in cell.columns:
        return {}
    if fitted.mixes is not None and fitted.mixes.knows(cell)[0]:
        stderr.print("no latency: of steps only rates are known")
        alone = fitted.predict(cell.assign(offered_mpps=np.inf, link_gbps=np.inf))
        offered_mpps = cell["offered_mpps"].to_numpy(dtype=np.float64)
        return {"cpu_busy_ratio": float(utilisation(offered_mpps, alone.predicted_mpps)[0])}
    try:
        if fitted.latency is not None:
            return _measured_mode(fitted.latency, cell)
        return _utilisation(fitted, cell) | _flooded(fitted.overload, cell, rates)
    except BadInputError as error:
        stderr.print(f"no latency: {error}")
    return _utilisation(fitted, cell)


def _utilisation(fitted: ModelFile, cell: pd.DataFrame) -> Answer:
    cells = cells_of(cell, fitted.predictor.pairs)
    busy = utilisation(cells.offered_mpps, fitted.predictor.model.limits(cells).service_mpps)
    return {"cpu_busy_ratio": float(busy[0])}


def _measured_mode(model: LatencyModel, cell: pd.DataFrame) -> Answer:
    said = model.predict(cell)
    answer: Answer = {
        "cpu_busy_ratio": float(said.cpu_busy_ratio[0]),
        "latency_mean_us": float(said.mean_us[0]),
        "latency_capacity_mpps": float(said.capacity_mpps[0]),
        "latency_in_domain": _inside(model, cell),
    }
    p50_us, p99_us = model.predict_quantiles_us(cell, (0.5, 0.99))[0]
    if not np.isnan(p99_us):
        answer |= {"latency_p50_us": float(p50_us), "latency_p99_us": float(p99_us)}
    return answer


def _inside(model: LatencyModel | Overload, cell: pd.DataFrame) -> bool:
    cells = cells_of(cell, model.pairs)
    return model.domain is None or bool(model.domain.contains(cells)[0])


def _flooded(model: Overload | None, cell: pd.DataFrame, rates: Predictions) -> Answer:
    """Latency of a full ring; its interval is that of the rate, with every ring that was seen."""
    if model is None:
        stderr.print("no latency: the model was fitted without runs of the split mode, and without "
                     "flooded runs that have one")  # fmt: skip
        return {}
    mean_us = float(model.predict(cell)[0])
    if np.isnan(mean_us):
        stderr.print("no latency: it was measured in overload only, and this load is served")
        return {}
    packets = [ring.packets / model.ring_packets for ring in model.rings]
    waited_us = mean_us - model.fixed_us
    shortest = waited_us * min(packets) * rates.predicted_mpps[0] / rates.upper_mpps[0]
    longest = waited_us * max(packets) * rates.predicted_mpps[0] / rates.lower_mpps[0]
    return {
        "latency_mean_us": mean_us, "latency_lower_us": float(model.fixed_us + shortest),
        "latency_upper_us": float(model.fixed_us + longest),
        "latency_in_domain": _inside(model, cell),
    }  # fmt: skip


def load_words(answer: Answer) -> str:
    """Say it as a part of a sentence."""
    times = {name: f"{float(f'{value:.3g}'):g}" for name, value in answer.items()
             if isinstance(value, float)}  # fmt: skip
    said = ""
    if "cpu_busy_ratio" in answer:
        said += f"; at this load cores are {answer['cpu_busy_ratio']:.0%} busy"
    if "latency_mean_us" in answer:
        said += f", mean latency {times['latency_mean_us']} us"
    if "latency_lower_us" in answer:
        said += f" ({times['latency_lower_us']} to {times['latency_upper_us']}) in full rings"
    if "latency_p99_us" in answer:
        said += f", p50 {times['latency_p50_us']} and p99 {times['latency_p99_us']} us"
    if "latency_capacity_mpps" in answer:
        said += (f", in the mode that latency was measured in, which carries "
                 f"{times['latency_capacity_mpps']} Mpps")  # fmt: skip
    if answer.get("latency_in_domain") is False:
        said += "\nLatency was measured on other cells only: this one is extrapolated."
    return said
