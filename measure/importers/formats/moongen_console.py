r"""MoonGen's or libmoon's console: a line of each counter a second, and latencies.

A line is of one counter and direction, ``[Device: id=1] RX: 5.42 Mpps, 2775 Mbit/s (3642 Mbit/s
with framing)``; what ends a run has a standard deviation and totals besides, and leaves the first
and the last second out of its mean. A histogram of latencies is one line, ``Samples: 1174,
Average: 11137.8 ns, ... Quartiles: 7559.0/10368.0/12454.0 ns``. Colours may stand around them.
Source: ``lua/stats.lua`` and ``lua/histogram.lua`` of libmoon, which print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from linerate.measure.importers.defects import Defect
from linerate.measure.importers.importer import Log, LogFormat, LogRead
from linerate.measure.importers.logs.steady import Array, Steady, mean_rate, steady_samples
from linerate.measure.importers.mapping import MappingTable

COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
NUMBER = r"(\d{1,18}(?:\.\d+)?)"
SECOND = re.compile(rf"^\[(.+?)\] (RX|TX): {NUMBER} Mpps, ")
WHOLE_RUN = re.compile(rf"^\[(.+?)\] (RX|TX): {NUMBER} \(StdDev ([^)]*)\) Mpps, ")
LATENCY = re.compile(
    rf"Samples: {NUMBER}, Average: {NUMBER} ns, .*Quartiles: [^/]+/{NUMBER}/[^/]+ ns"
)  # fmt: skip
STEP_MPPS = 0.01
"""Rates are written with two decimals."""
COARSE_RATIO = 0.01
"""A step of this share of a rate is worth a word."""


class MoonGenConsoleTable(MappingTable):
    """Which counters count."""

    receiver: str = ""
    """As its lines name it, ``Device: id=1``; without it the only one that received packets."""
    skip_seconds: Annotated[int, Field(ge=0, le=3600)] = 0
    """Lines of each counter that are left out at the beginning."""


@dataclass(slots=True)
class _Counter:
    name: str
    direction: str
    mpps: list[float]
    runs: int = 0
    """How often a run of it ended."""
    mean_mpps: float | None = None
    """Of the whole run, as its last line has it."""

    @property
    def samples_pps(self) -> Array:
        return 1e6 * np.array(self.mpps, dtype=np.float64)


def _read(log: Log[MoonGenConsoleTable]) -> LogRead:
    text = COLOURS.sub("", log.text)
    counters = _counters(text)
    receiver = _chosen([one for one in counters if one.direction == "RX"], log.table.receiver)
    steady = _steady(receiver, log.table.skip_seconds)
    row = steady.row() | _latency(text)
    sender = [one for one in counters if one.direction == "TX"]
    if log.run.offered_mpps is None and sender:
        row["offered_mpps"] = sum(_steady(one, log.table.skip_seconds).mpps for one in sender)
    return LogRead(rows=[row], defects=[*_defects(receiver, steady), *steady.defects()])


def _counters(text: str) -> list[_Counter]:
    """Lines of each counter, of its last run where several stand one behind the other."""
    found: dict[tuple[str, str], _Counter] = {}
    for line in text.splitlines():
        second, whole = SECOND.match(line.strip()), WHOLE_RUN.match(line.strip())
        match = second or whole
        if match is None:
            continue
        one = found.setdefault((match[1], match[2]), _Counter(match[1], match[2], []))
        if second is not None:
            if one.mean_mpps is not None:  # a run has ended before
                one.mpps, one.mean_mpps = [], None
            one.mpps.append(float(match[3]))
        else:
            one.mean_mpps, one.runs = float(match[3]), one.runs + 1
    if not found:
        raise ValueError("there is no line such as '[Device: id=0] RX: 1.00 Mpps, ...' in it")
    return list(found.values())


def _chosen(receivers: list[_Counter], name: str) -> _Counter:
    if name:
        named = [one for one in receivers if one.name == name]
    else:
        named = [one for one in receivers if any(one.mpps) or one.mean_mpps]
    if len(named) == 1:
        return named[0]
    known = ", ".join(one.name for one in receivers) or "none"
    if name:
        raise ValueError(f"no receiver is called {name!r}; there are: {known}")
    raise ValueError(f"{len(named)} counters received packets; name one as receiver: {known}")


def _steady(counter: _Counter, skip: int) -> Steady:
    """Rate of the seconds within the traffic; of few the mean that MoonGen itself gives."""
    samples = counter.samples_pps[skip:]
    steady = mean_rate(samples[steady_samples(samples)], 1.0)
    if steady is not None:
        return steady
    if counter.mean_mpps is None:
        raise ValueError(f"{samples.size} lines of {counter.name} are too few for a rate")
    return Steady(mpps=counter.mean_mpps, spread_ratio=0.0, samples=samples.size,
                  duration_s=float(samples.size))  # fmt: skip


def _latency(text: str) -> dict[str, object]:
    """Mean and median of the last histogram; nothing where none was printed."""
    found = [match for match in LATENCY.finditer(text) if float(match[1]) > 0.0]
    if not found:
        return {}
    return {"latency_mean_us": float(found[-1][2]) / 1e3,
            "latency_p50_us": float(found[-1][3]) / 1e3}  # fmt: skip


def _defects(receiver: _Counter, steady: Steady) -> Iterator[Defect]:
    if receiver.runs > 1:
        yield Defect(name="log_appended", detail=f"{receiver.runs} runs in the file")
    if not steady.mpps > 0.0:
        yield Defect(name="rx_zero", detail=f"{len(receiver.mpps)} readings")
    elif STEP_MPPS / steady.mpps > COARSE_RATIO:
        yield Defect(
            name="rate_coarse", detail=f"{steady.mpps:.3g} Mpps in steps of {STEP_MPPS}",
            why="the console writes rates with two decimals of a Mpps; the mean over the seconds "
            "is taken as it is",
        )  # fmt: skip


IMPORTER = LogFormat(table=MoonGenConsoleTable, read=_read)
