"""Latency and CPU at an offered load."""

from __future__ import annotations

from linerate.models.latency.chain_rtt import ChainRtt, fit_chain_rtt
from linerate.models.latency.model import LatencyModel, fit_latency
from linerate.models.latency.overload import Overload, fit_overload
from linerate.models.latency.quantiles import Quantile, fit_quantile

__all__ = [
    "ChainRtt",
    "LatencyModel",
    "Overload",
    "Quantile",
    "fit_chain_rtt",
    "fit_latency",
    "fit_overload",
    "fit_quantile",
]
