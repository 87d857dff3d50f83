"""MoonGen's log of counters, one line each half second, as text or CSV.

Its columns are ``time, txpackets, txpacketrateavg, txpacketrate, rxpackets, rxpacketrateavg,
rxpacketrate[, latencymean], core, port``. A line is of the sending or of the receiving core; the
other's columns are zero. Where a log was appended to, each run begins with a header of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from linerate.measure.importers.defects import Defect
from linerate.measure.importers.logs.steady import Array, Steady, counter_rate

COLUMNS = (
    "time", "txpackets", "txpacketrateavg", "txpacketrate", "rxpackets", "rxpacketrateavg",
    "rxpacketrate", "latencymean", "core", "port",
)  # fmt: skip
WITHOUT_LATENCY = tuple(name for name in COLUMNS if name != "latencymean")
_LAYOUTS = {"".join(names): names for names in (COLUMNS, WITHOUT_LATENCY)}
LATENCY_DECIMALS_MIN = 3
"""Two decimals of a second are steps of 10 ms, more than most latencies."""
CUMULATIVE_RATIO = 5e-3
"""A column of rates this close to counter over time is the mean since the start, if the other
column is at least twice as far from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoonGenLog:
    """The last run of a log; arrays have one element for each reading of that direction."""

    runs: int
    """How many runs the file holds, one appended to the other."""
    tx_s: Array
    tx_packets: Array
    rx_s: Array
    rx_packets: Array
    latency_s: Array | None
    """Running mean since the start; None where the log has no such column."""
    latency_decimals: int
    header_shifted: bool
    """What the header calls the rate is its mean since the start."""
    cut_short: bool
    """The last line ends early and was left out."""

    @property
    def received_nothing(self) -> bool:
        """Whether the receive counter stood at 0 throughout."""
        return not bool(self.rx_packets.any())

    @property
    def counter_fell(self) -> bool:
        """Whether a counter went down, which no counter does."""
        return bool((np.diff(self.rx_packets) < 0).any() or (np.diff(self.tx_packets) < 0).any())

    def received(self, skip_s: float) -> Steady | None:
        """Rate of the receive counter from ``skip_s`` on, by MoonGen's own clock."""
        steady = self.rx_s >= skip_s
        return counter_rate(self.rx_s[steady], self.rx_packets[steady])

    def sent(self, skip_s: float) -> Steady | None:
        """Rate of the transmit counter, likewise."""
        steady = self.tx_s >= skip_s
        return counter_rate(self.tx_s[steady], self.tx_packets[steady])

    def latency_us(self) -> float:
        """Median over windows; nan where the log is too coarse to have one, or it is negative."""
        windows_us = self.latency_windows_us()
        if self.latency_decimals < LATENCY_DECIMALS_MIN or not windows_us.size:
            return float("nan")
        median_us = float(np.median(windows_us))
        return median_us if median_us > 0.0 else float("nan")

    def latency_windows_us(self) -> Array:
        """Mean latency of each window between two readings: the running mean undone.

        The mean m over n packets grows to m' over n', so those in between took
        (m' n' - m n) / (n' - n). Windows without packets are left out.
        """
        if self.latency_s is None or self.rx_s.size < 2:
            return np.empty(0)
        sums_s = self.latency_s * self.rx_packets
        packets = np.diff(self.rx_packets)
        seen = packets > 0
        return np.asarray(np.diff(sums_s)[seen] / packets[seen] * 1e6)


def parse_moongen(text: str) -> MoonGenLog:
    """Read the last run of a log.

    Raises
    ------
    ValueError
        It is no such log; the message says where.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    headers = [at for at, line in enumerate(lines) if line.lstrip()[0].isalpha()]
    if not lines or not headers or headers[0] != 0:
        raise ValueError("it does not begin with a header of MoonGen's columns")
    names = _names(lines[headers[-1]])
    body = lines[headers[-1] + 1 :]
    width = len(names)
    cut_short = bool(body) and len(_fields(body[-1])) < width
    rows = _rows(body[:-1] if cut_short else body, width)
    column = {name: rows[:, at] for at, name in enumerate(names)}
    sending = column["txpackets"] > 0
    latency = column["latencymean"][~sending] if "latencymean" in column else None
    return MoonGenLog(
        runs=len(headers),
        tx_s=column["time"][sending], tx_packets=column["txpackets"][sending],
        rx_s=column["time"][~sending], rx_packets=column["rxpackets"][~sending],
        latency_s=latency,
        latency_decimals=_decimals(body[:-1], names),
        header_shifted=_is_shifted(column, sending),
        cut_short=cut_short,
    )  # fmt: skip


def _fields(line: str) -> list[str]:
    return line.replace(",", " ").split()


def _names(header: str) -> tuple[str, ...]:
    squeezed = re.sub(r"[\s,]+", "", header).lower()
    if squeezed not in _LAYOUTS:
        raise ValueError(f"its header {header.strip()[:60]!r} names other columns than MoonGen's")
    return _LAYOUTS[squeezed]


def _rows(lines: list[str], width: int) -> Array:
    cells = [_fields(line) for line in lines]
    strange = next((at for at, line in enumerate(cells) if len(line) != width), None)
    if strange is not None:
        got = len(cells[strange])
        raise ValueError(f"line {lines[strange][:60]!r} has {got} of {width} values")
    if not cells:
        raise ValueError("there is no reading under its header")
    rows = np.array(cells, dtype=np.float64)  # refuses what is not a number, and names it
    if not np.isfinite(rows).all():
        raise ValueError("a reading is not finite")
    if (np.diff(rows[:, 0]) <= 0.0).any():
        raise ValueError("its time does not go on from line to line")
    return rows


def _decimals(body: list[str], names: tuple[str, ...]) -> int:
    if "latencymean" not in names or not body:
        return 0
    at = names.index("latencymean")  # the sending core's are always 0.00
    return max(len(_fields(line)[at].partition(".")[2]) for line in body)


def _is_shifted(column: dict[str, Array], sending: np.ndarray) -> bool:
    """Tell from the numbers which column is the mean since the start: counter over time."""
    for direction, rows in (("rx", ~sending), ("tx", sending)):
        late = rows & (column["time"] >= column["time"].max() / 2) & (column["time"] > 0)
        late &= column[f"{direction}packets"] > 0  # of what never came there is no rate
        if not late.any():
            continue
        mean_pps = column[f"{direction}packets"][late] / column["time"][late]
        off, named_off = (
            float(np.median(np.abs(column[f"{direction}{name}"][late] / mean_pps - 1.0)))
            for name in ("packetrate", "packetrateavg")
        )
        return off < CUMULATIVE_RATIO and 2.0 * off < named_off
    return False


def moongen_defects(log: MoonGenLog) -> list[Defect]:
    """Name what the generator's log gets wrong by itself."""
    checks = (
        ("log_appended", log.runs > 1, f"{log.runs} runs in the file"),
        ("cut_short", log.cut_short, ""),
        ("header_shifted", log.header_shifted, ""),
        ("counter_fell", log.counter_fell, ""),
        ("rx_zero", log.received_nothing, f"{log.rx_s.size} readings"),
    )
    named = [Defect(name=name, detail=detail) for name, found, detail in checks if found]
    return named + _latency_defects(log)


def _latency_defects(log: MoonGenLog) -> list[Defect]:
    if log.latency_s is None:
        return [Defect(name="latency_missing")]
    found = []
    if log.latency_decimals <= 2:
        found.append(Defect(name="latency_coarse", detail=f"{log.latency_decimals} decimals"))
    if bool((log.latency_s < 0).any()):
        lowest = f"down to {float(log.latency_s.min()):.4g} s"
        found.append(Defect(name="latency_negative", detail=lowest))
    return found
