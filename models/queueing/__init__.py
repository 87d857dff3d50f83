"""Waiting: pure functions of offered load, service time and buffer, and a model fitted by them."""

from __future__ import annotations

from linerate.models.queueing.latency import LatencyModel, fit_latency
from linerate.models.queueing.markov import (
    mm1_sojourn_ns,
    mm1k_loss_ratio,
    mm1k_sojourn_ns,
)
from linerate.models.queueing.mg1 import md1_wait_ns, mg1_wait_ns
from linerate.models.queueing.mg1k import Queue, mg1k
from linerate.models.queueing.ring import overload_latency_us

__all__ = [
    "LatencyModel",
    "Queue",
    "fit_latency",
    "md1_wait_ns",
    "mg1_wait_ns",
    "mg1k",
    "mm1_sojourn_ns",
    "mm1k_loss_ratio",
    "mm1k_sojourn_ns",
    "overload_latency_us",
]
