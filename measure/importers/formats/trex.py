r"""TRex's console (``t-rex-64``): its tables of ports, each some seconds after the one before.

A table begins with ``-Per port stats table``; counters of its rows, ``ipackets | 98 | 0``, count
since the start, and ``current time : 11.3 sec`` behind it says when. With ``-l``, behind ``-Latency
stats`` each port has a line: packets sent and received, then us in the mean and at most. Source:
what releases 2.46 to 3.06 print, as their users' manuals and guides show it.
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
from linerate.measure.importers.logs.steady import Array, Steady, steady_samples
from linerate.measure.importers.mapping import MappingTable

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TABLE = "-Per port stats table"
COUNTERS = ("opackets", "ipackets", "ierrors", "oerrors")
ROW = re.compile(rf"^\s*({'|'.join(COUNTERS)})\s*\|([\d\s|]+)$", re.MULTILINE)
TIME = re.compile(r"^\s*current time\s*:\s*(\d{1,9}(?:\.\d+)?) sec", re.MULTILINE)
FULL = re.compile(r"^\s*Total_queue_full\s*:\s*(\d{1,18})", re.MULTILINE)
LATENCY = re.compile(
    r"^\s*\d+\s*\|\s*\d+\s*,\s*(\d{1,18})\s*,[^,\n]*,[^,\n]*,\s*(\d{1,18})\s*,\s*(\d{1,18})\s*,",
    re.MULTILINE,
)
CLOCK_STEP_S = 0.1
"""Times are written with one decimal of a second."""
WINDOW_S = 10.0
"""Over less, steps of that clock would pass for a rate that changes."""
COARSE_RATIO = 0.01
TABLES_MIN = 4
PACKETS_MAX = 2.0**64


class TrexTable(MappingTable):
    """Which ports receive what the device forwards."""

    receivers: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)] | None = None
    """Their numbers; all ports without it."""
    skip_seconds: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """Left out at the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """n tables of p ports."""

    seconds: Array
    """Shape (n,)."""
    packets: dict[str, Array]
    """Counter -> shape (n, p)."""
    restarted: bool
    """Whether several runs stand one behind the other."""


def _read(log: Log[TrexTable]) -> LogRead:
    text = CONTROLS.sub("", log.text)
    tables = _tables(text)
    ports = tables.packets["ipackets"].shape[1]
    receivers = list(range(ports)) if log.table.receivers is None else log.table.receivers
    if max(receivers) >= ports:
        raise ValueError(f"receivers={receivers}: it has {ports} ports, 0 to {ports - 1}")
    came = tables.packets["ipackets"][:, receivers].sum(axis=1)
    kept = tables.seconds >= log.table.skip_seconds
    steady = _rate(tables.seconds[kept], came[kept])
    row = steady.row() | _latency(text, receivers)
    if log.run.offered_mpps is None:
        went = tables.packets["opackets"].sum(axis=1)
        row["offered_mpps"] = _rate(tables.seconds[kept], went[kept]).mpps
    return LogRead(rows=[row], defects=[*_defects(text, tables, steady), *steady.defects()])


def _tables(text: str) -> _Tables:
    """Tables of the last run that are whole, and say when they were taken."""
    rows: list[tuple[float, dict[str, list[float]]]] = []
    restarted = False
    for part in text.split(TABLE)[1:]:
        counters = {match[1]: [float(one) for one in match[2].replace("|", " ").split()]
                    for match in ROW.finditer(part)}  # fmt: skip
        time = TIME.search(part)
        if time is None or set(counters) != set(COUNTERS):
            continue  # cut short
        if rows and float(time[1]) < rows[-1][0]:
            rows, restarted = [], True
        if not rows or float(time[1]) > rows[-1][0]:
            rows.append((float(time[1]), counters))
    if len(rows) < TABLES_MIN:
        raise ValueError(f"{len(rows)} tables of ports with a time are too few for a rate")
    widths = {len(values) for _, counters in rows for values in counters.values()}
    if len(widths) != 1:
        raise ValueError("its tables are of different numbers of ports")
    packets = {name: np.array([counters[name] for _, counters in rows]) for name in COUNTERS}
    if max(values.max() for values in packets.values()) > PACKETS_MAX:
        raise ValueError("a counter is larger than 64 bits")
    seconds = np.array([second for second, _ in rows])
    return _Tables(seconds=seconds, packets=packets, restarted=restarted)


def _rate(seconds: Array, packets: Array) -> Steady:
    """Rate of a counter from the first to the last table within the traffic."""
    steps = np.diff(packets) / np.diff(seconds)
    within = steady_samples(steps)
    # A step before one without traffic may lie half behind it.
    first, last = within.start, within.stop - (within.stop < len(steps))
    if last - first < 2:
        raise ValueError(f"{last - first} tables within the traffic are too few for a rate")
    time_s, count = seconds[first : last + 1], packets[first : last + 1]
    stride = max(1, round(WINDOW_S / float(np.median(np.diff(time_s)))))
    windows = np.diff(count[::stride]) / np.diff(time_s[::stride])
    mean_pps = float((count[-1] - count[0]) / (time_s[-1] - time_s[0]))
    spread = float(windows.std()) / mean_pps if windows.size > 1 else 0.0
    return Steady(mpps=mean_pps / 1e6, spread_ratio=spread, samples=len(time_s) - 1,
                  duration_s=float(time_s[-1] - time_s[0]))  # fmt: skip


def _latency(text: str, receivers: list[int]) -> dict[str, object]:
    """Mean and largest latency of the last table, over the ports that got probes back."""
    table = text.rpartition("-Latency stats")[2]
    ports = [list(map(float, match.groups())) for match in LATENCY.finditer(table)]
    got = [ports[port] for port in receivers if port < len(ports) and ports[port][0] > 0]
    if not got:
        return {}
    probes, mean_us, most_us = np.array(got).T
    return {"latency_mean_us": float(np.average(mean_us, weights=probes)),
            "latency_max_us": float(most_us.max())}  # fmt: skip


def _defects(text: str, tables: _Tables, steady: Steady) -> Iterator[Defect]:
    if tables.restarted:
        yield Defect(name="log_appended", detail="its time begins anew")
    if CLOCK_STEP_S / steady.duration_s > COARSE_RATIO:
        yield Defect(name="clock_coarse", detail=f"{steady.duration_s:.3g} s of traffic",
                     why="the console writes times with one decimal of a second, more than 1 % of "
                     "what was measured; the rate is taken as it is")  # fmt: skip
    full = [int(match[1]) for match in FULL.finditer(text)]
    if full and full[-1]:
        yield Defect(name="queue_full", detail=f"{full[-1]} packets",
                     why="the generator's own queues were full: it sent less than it was asked "
                     "to; what it sent is offered")  # fmt: skip
    if bool((np.diff(tables.packets["ipackets"], axis=0) < 0.0).any()):
        yield Defect(name="counter_fell")
    wrong = {name: int(tables.packets[name][-1].sum()) for name in ("ierrors", "oerrors")}
    if any(wrong.values()):
        yield Defect(name="port_errors", detail=", ".join(f"{n} {k}" for k, n in wrong.items()),
                     why="the generator's ports counted errors; not corrected")  # fmt: skip


IMPORTER = LogFormat(table=TrexTable, read=_read)
