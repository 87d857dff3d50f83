"""Median latency of pipelines of DPDK's SWX that are fed by rings or memif, below saturation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from linerate.errors import BadInputError
from linerate.models.intervals.scores import half_width, worth_of
from linerate.models.latency.quantiles import UTILISATION_MAX
from linerate.models.latency.turns import (
    IDLE_MIN,
    THREADS,
    hold_us,
    instructions_of,
    instructions_per_us,
    turns_of,
)
from linerate.models.operations import mix_runs
from linerate.models.operations.runs import USUAL, works_of
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.runs.selection import believable
from linerate.models.validation.folds import hold_out, shuffled_folds

PORTS = ("ring", "memif")
"""Ports whose packets come from a generator on another core, with latency."""
OF_BASE = {"l2l3": (("table_lpm", 1),)}
"""What a base path looks up by itself."""
ROWS_MIN = 8
"""Runs that the four constants of a port need."""
PIPELINE = ["program", "operations"]
"""What tells pipelines apart."""
US_MAX, REACH_MAX = 1e9, 20.0
"""Beyond these a model file holds no latency that anybody measured."""
FOLDS = 20
"""Parts of the pipelines that are held out in turn for the interval."""
STARTS = ((0.5, 0.13, 0.005, 0.014), (1.0, 0.3, 0.01, 0.01))
"""Where a fit begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """n pipelines at their loads; every array has shape (n,)."""

    load_mpps: Array
    """Of one lcore."""
    service_us: Array
    """Time of a packet where the lcore generates packets (net_null)."""
    burst_packets: Array
    turns: Array
    instructions: Array
    port: tuple[str, ...]

    def on(self, port: str) -> Mask:
        """Whether each is fed by a port, shape (n,)."""
        return np.array([one == port for one in self.port], dtype=np.bool_)

    def take(self, rows: Mask) -> Asked:
        """Keep some."""
        return Asked(
            load_mpps=self.load_mpps[rows], service_us=self.service_us[rows],
            burst_packets=self.burst_packets[rows], turns=self.turns[rows],
            instructions=self.instructions[rows],
            port=tuple(np.asarray(self.port)[rows].tolist()),
        )  # fmt: skip


_EMPTY = np.zeros(0)
_NONE = Asked(load_mpps=_EMPTY, service_us=_EMPTY, burst_packets=_EMPTY, turns=_EMPTY,
              instructions=_EMPTY, port=())  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PortLatency:
    """Constants of pipelines on one kind of port."""

    port: str
    fixed_us: float
    """Time outside the pipeline: generator, both rings, sink."""
    port_us: float
    """Time that receiving and sending takes a packet beside its serial time."""
    poll_us: float
    """Time of a poll that finds nothing, where no packets come."""
    slower_us: float
    """What it takes longer between packets, whose rings and instructions are other ones: times the
    utilisation."""
    runs: int
    """Runs it was fitted on."""
    reach: float | None = None
    """Log half-width of the interval that holds the median of 90 % of runs, of pipelines that it
    has not seen; None where it was fitted on one. Their packets' times were measured: where one is
    predicted, its error comes on top."""

    def p50_us(self, asked: Asked) -> Array:
        """Median latency, shape (n,); nan from 80 % of saturation on."""
        return np.where(
            self.utilisation(asked) <= UTILISATION_MAX, self.unbounded_us(asked), np.nan
        )

    def utilisation(self, asked: Asked) -> Array:
        """Share of its time that an lcore needs for its packets, shape (n,)."""
        return np.asarray(asked.load_mpps * (asked.service_us + self.port_us))

    def unbounded_us(self, asked: Asked) -> Array:
        """Median latency as if the law held at any load, shape (n,)."""
        service_us = asked.service_us + self.port_us
        utilisation = self.utilisation(asked)
        poll_us = self.poll_us + self.slower_us * np.minimum(utilisation, 1.0 - IDLE_MIN)
        per_us = instructions_per_us(asked.load_mpps, utilisation, asked.instructions, poll_us)
        turns_us = (THREADS - 1) * asked.turns / per_us
        held_us = hold_us(asked.load_mpps, asked.burst_packets, per_us)
        return np.asarray(self.fixed_us + service_us + turns_us + held_us)

    def __str__(self) -> str:
        return (
            f"swx by {self.port}: p50 = {self.fixed_us:.3g} us + packet + {1e3 * self.port_us:.3g} "
            f"ns of its port + turns of {THREADS} threads + hold until sent; a poll takes "
            f"{1e3 * self.poll_us:.3g} + {1e3 * self.slower_us:.3g} x utilisation ns"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipelines:
    """Median latency of pipelines, by the port that feeds them."""

    ports: tuple[PortLatency, ...]

    def __post_init__(self) -> None:
        for one in self.ports:
            times = (one.fixed_us, one.port_us, one.poll_us, one.slower_us)
            if not all(0.0 <= us <= US_MAX for us in times):
                raise ValueError(f"{one.port}: {times} are not times of a packet and a poll")
            if one.reach is not None and not 0.0 <= one.reach <= REACH_MAX:
                raise ValueError(f"{one.port}: reach={one.reach} is not a half-width")

    def knows(self, cells: pd.DataFrame) -> Mask:
        """Whether each cell is a pipeline at a load, on a port that was measured, shape (n,)."""
        if not {"offered_mpps", "pipeline_port"} <= set(cells.columns):
            return np.zeros(len(cells), dtype=np.bool_)
        known = cells["pipeline_port"].isin([one.port for one in self.ports])
        known &= (cells["datapath"] == "swx") & np.isfinite(cells["offered_mpps"].astype(float))
        return known.to_numpy(dtype=np.bool_)

    def p50_us(self, asked: Asked) -> Array:
        """Median latency, shape (n,); nan from 80 % of saturation on, and of other ports."""
        found_us = np.full(asked.load_mpps.size, np.nan)
        for one in self.ports:
            rows = asked.on(one.port)
            found_us[rows] = one.p50_us(asked.take(rows))
        return found_us

    def interval_us(self, asked: Asked) -> Array:
        """Lower and upper end of the median of one run, shape (2, n); nan where there is none."""
        p50_us = self.p50_us(asked)
        reach = np.full(p50_us.size, np.nan)
        for one in self.ports:
            reach[asked.on(one.port)] = np.nan if one.reach is None else one.reach
        return np.asarray(p50_us * np.exp([-reach, reach]))

    def __str__(self) -> str:
        return "\n".join(map(str, self.ports))


def asked_of(cells: pd.DataFrame, service_us: Array) -> Asked:
    """Read pipelines and their loads off a table.

    Parameters
    ----------
    cells
        Columns ``datapath, program, queues, offered_mpps, pipeline_port``, and what tells the
        operations and the burst.
    service_us
        Time of a packet where the lcore generates packets, shape (n,).
    """
    works = works_of(cells)
    executed = [(*work.steps, *OF_BASE.get(work.base, ())) for work in works]
    bursts = [dict(work.settings).get("pipeline_burst_packets", USUAL["pipeline_burst_packets"])
              for work in works]  # fmt: skip
    queues = cells["queues"].to_numpy(dtype=np.float64)
    return Asked(
        load_mpps=cells["offered_mpps"].to_numpy(dtype=np.float64) / queues,
        service_us=service_us,
        burst_packets=np.array(bursts, dtype=np.float64),
        turns=np.array([turns_of(steps) for steps in executed], dtype=np.float64),
        instructions=np.array([instructions_of(steps) for steps in executed], dtype=np.float64),
        port=tuple(cells["pipeline_port"].astype(str)),
    )


def pipeline_runs(runs: pd.DataFrame) -> tuple[pd.DataFrame, Asked]:
    """Take the runs of pipelines with a median latency under Poisson arrivals, and what they are.

    Their serial time is that of the same pipeline where the lcore generates packets; runs of
    pipelines without such a run are left out.
    """
    timed = _timed(runs)
    if timed.empty:
        return timed, _NONE
    try:
        works, times_ns = mix_runs(runs).medians()
    except BadInputError:
        works, times_ns = (), np.array([])
    known = dict(zip(works, 1e-3 * times_ns, strict=True))
    alone = works_of(timed.assign(pipeline_port=USUAL["pipeline_port"]))
    serial_us = np.array([known.get(work, np.nan) for work in alone])
    kept = np.isfinite(serial_us)
    return timed[kept], asked_of(timed[kept], serial_us[kept])


def _timed(runs: pd.DataFrame) -> pd.DataFrame:
    needed = {"mode", "datapath", "program", "pipeline_port", "arrivals", "latency_p50_us"}
    if not needed <= set(runs.columns):
        return runs.iloc[:0]
    rows = (runs["datapath"] == "swx") & (runs["mode"] == "split")
    rows &= runs["pipeline_port"].isin(PORTS) & (runs["arrivals"] == "poisson")
    rows &= (runs["latency_p50_us"] > 0.0) & np.isfinite(runs["offered_mpps"].astype(float))
    return believable(runs[rows])[0]


def fit_pipelines(runs: pd.DataFrame) -> Pipelines | None:
    """Fit each port's constants to the median latencies of its runs.

    Returns
    -------
    None where no port has enough of them below saturation, whose pipelines were measured serially.
    """
    timed, asked = pipeline_runs(runs)
    p50_us = timed["latency_p50_us"].to_numpy(dtype=np.float64) if len(timed) else _EMPTY
    fitted = fit_asked(asked, p50_us)
    if fitted is None:
        return None
    pipeline = pipelines_in(timed)
    return Pipelines(ports=tuple(
        replace(one, reach=_reach(one.port, asked.take(rows), p50_us[rows], pipeline[rows]))
        for one in fitted.ports for rows in [asked.on(one.port)]
    ))  # fmt: skip


def pipelines_in(timed: pd.DataFrame) -> Codes:
    """Code of the pipeline of each run, shape (n,)."""
    if timed.empty:
        return np.zeros(0, dtype=np.intp)
    return np.asarray(timed.groupby(PIPELINE, dropna=False).ngroup(), dtype=np.intp)


def fit_asked(asked: Asked, p50_us: Array) -> Pipelines | None:
    """Fit each port's constants, as `fit_pipelines`, to medians of shape (n,)."""
    ports = [_fit_port(port, asked.take(rows), p50_us[rows])
             for port in PORTS for rows in [asked.on(port)] if rows.sum() >= ROWS_MIN]  # fmt: skip
    return Pipelines(ports=tuple(ports)) if ports else None


def _fit_port(port: str, asked: Asked, p50_us: Array) -> PortLatency:
    """Choose constants by the mean of absolute log ratios; runs near saturation bound the port."""
    from scipy.optimize import minimize  # slow to load

    def at(logs: Array) -> PortLatency:
        fixed_us, port_us, poll_us, slower_us = map(float, np.exp(logs))
        return PortLatency(port=port, fixed_us=fixed_us, port_us=port_us, poll_us=poll_us,
                           slower_us=slower_us, runs=p50_us.size)  # fmt: skip

    def error(logs: Array) -> float:
        return float(np.abs(np.log(at(logs).unbounded_us(asked) / p50_us)).mean())

    found = [minimize(error, np.log(start), method="Nelder-Mead") for start in STARTS]
    return at(min(found, key=lambda one: float(one.fun)).x)


def _reach(port: str, asked: Asked, p50_us: Array, pipeline: Codes) -> float | None:
    """Take the reach of scores of whole pipelines that are held out.

    The time of their packets is known, and alike scores of one pipeline count once.
    """
    if np.unique(pipeline).size < 2:
        return None
    scores = np.full(p50_us.size, np.nan)
    for held in hold_out(shuffled_folds(pipeline, FOLDS, np.random.default_rng(0))):
        said_us = _fit_port(port, asked.take(~held), p50_us[~held]).p50_us(asked.take(held))
        scores[held] = np.log(p50_us[held] / said_us)
    answered = np.isfinite(scores)
    if not answered.any():
        return None
    return half_width(scores[answered], worth_of(scores[answered], pipeline[answered]))
