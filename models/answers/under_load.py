"""What a model file says of a cell at an offered load: latency, and how busy its cores are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.file.modelfile import ModelFile
from linerate.models.latency.busy import utilisation
from linerate.models.latency.model import LatencyModel
from linerate.models.latency.overload import Overload
from linerate.models.runs.cells import cells_of
from linerate.records import Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderLoad:
    """One cell at an offered load; None where the model file does not know it."""

    cpu_busy_ratio: float
    """Share of time that each queue's core works, 0 to 1."""
    latency_mean_us: float | None = None
    latency_lower_us: float | None = None
    """Lower end of the interval of the mean, in full rings."""
    latency_upper_us: float | None = None
    """Upper end of it."""
    latency_p50_us: float | None = None
    latency_p99_us: float | None = None
    latency_capacity_mpps: float | None = None
    """Most that is forwarded in the mode that latency was measured in."""
    latency_in_domain: bool | None = None
    """Whether latency was measured on cells around this one."""
    why_no_latency: str = ""
    """Why there is no latency, where there is none."""

    def to_dict(self) -> dict[str, object]:
        """Known values by name, for JSON."""
        named = {name: getattr(self, name) for name in self.__slots__ if name != "why_no_latency"}
        return {name: value for name, value in named.items() if value is not None}

    def __str__(self) -> str:
        told = f"at this load cores are {self.cpu_busy_ratio:.0%} busy"
        if self.latency_mean_us is not None:
            told += f", mean latency {_short(self.latency_mean_us)} us"
        if self.latency_lower_us is not None:
            ends = f"{_short(self.latency_lower_us)} to {_short(self.latency_upper_us)}"
            told += f" ({ends}) in full rings"
        if self.latency_p99_us is not None:
            told += f", p50 {_short(self.latency_p50_us)} and p99 {_short(self.latency_p99_us)} us"
        if self.latency_capacity_mpps is not None:
            told += (", in the mode that latency was measured in, which carries "
                     f"{_short(self.latency_capacity_mpps)} Mpps")  # fmt: skip
        if self.latency_in_domain is False:
            told += "\nLatency was measured on other cells only: this one is extrapolated."
        return told


def _short(value: float | None) -> str:
    return "" if value is None else f"{float(f'{value:.3g}'):g}"


def under_load(fitted: ModelFile, cell: pd.DataFrame, rates: Predictions) -> UnderLoad | None:
    """CPU at an offered load, and latency where the model file knows it; None without a load.

    Parameters
    ----------
    fitted
        What predicted the rates.
    cell
        A table of one row.
    rates
        Its prediction.
    """
    if "offered_mpps" not in cell.columns:
        return None
    if fitted.mixes is not None and fitted.mixes.knows(cell)[0]:
        return _of_operations(fitted, cell)
    try:
        if fitted.latency is not None:
            return _measured_mode(fitted.latency, cell)
        return _flooded(fitted, cell, rates)
    except BadInputError as error:
        return UnderLoad(cpu_busy_ratio=_busy(fitted, cell), why_no_latency=str(error))


def _of_operations(fitted: ModelFile, cell: pd.DataFrame) -> UnderLoad:
    alone = fitted.predict(cell.assign(offered_mpps=np.inf, link_gbps=np.inf))
    offered_mpps = cell["offered_mpps"].to_numpy(dtype=np.float64)
    return UnderLoad(
        cpu_busy_ratio=float(utilisation(offered_mpps, alone.predicted_mpps)[0]),
        why_no_latency="of operations, filters, chains and pipelines only rates are known",
    )


def _busy(fitted: ModelFile, cell: pd.DataFrame) -> float:
    cells = cells_of(cell, fitted.predictor.pairs)
    service_mpps = fitted.predictor.model.limits(cells).service_mpps
    return float(utilisation(cells.offered_mpps, service_mpps)[0])


def _measured_mode(model: LatencyModel, cell: pd.DataFrame) -> UnderLoad:
    at_load = model.predict(cell)
    p50_us, p99_us = map(float, model.predict_quantiles_us(cell, (0.5, 0.99))[0])
    known = not np.isnan(p99_us)
    return UnderLoad(
        cpu_busy_ratio=float(at_load.cpu_busy_ratio[0]),
        latency_mean_us=float(at_load.mean_us[0]),
        latency_p50_us=p50_us if known else None, latency_p99_us=p99_us if known else None,
        latency_capacity_mpps=float(at_load.capacity_mpps[0]),
        latency_in_domain=_inside(model, cell),
    )  # fmt: skip


def _inside(model: LatencyModel | Overload, cell: pd.DataFrame) -> bool:
    cells = cells_of(cell, model.pairs)
    return model.domain is None or bool(model.domain.contains(cells)[0])


def _flooded(fitted: ModelFile, cell: pd.DataFrame, rates: Predictions) -> UnderLoad:
    """Latency of a full ring; its interval is that of the rate, with every ring that was seen."""
    busy, model = _busy(fitted, cell), fitted.overload
    if model is None:
        return UnderLoad(cpu_busy_ratio=busy, why_no_latency="the model was fitted without runs "
                         "of the split mode, and without flooded runs that have one")  # fmt: skip
    mean_us = float(model.predict(cell)[0])
    if np.isnan(mean_us):
        return UnderLoad(cpu_busy_ratio=busy, why_no_latency="it was measured in overload only, "
                         "and the cores can serve this load")  # fmt: skip
    packets = [ring.packets / model.ring_packets for ring in model.rings]
    waited_us = mean_us - model.fixed_us
    shortest = waited_us * min(packets) * rates.predicted_mpps[0] / rates.upper_mpps[0]
    longest = waited_us * max(packets) * rates.predicted_mpps[0] / rates.lower_mpps[0]
    return UnderLoad(
        cpu_busy_ratio=busy, latency_mean_us=mean_us,
        latency_lower_us=float(model.fixed_us + shortest),
        latency_upper_us=float(model.fixed_us + longest),
        latency_in_domain=_inside(model, cell),
    )  # fmt: skip
