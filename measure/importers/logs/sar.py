"""What ``sar -u ALL -P ALL -n DEV`` printed: busy shares of CPUs and packet rates of interfaces.

Clocks of 12 and of 24 hours, decimal points and commas, repeated headers, restarts and rows of
averages are recognised by their words; columns are found by their names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from linerate.measure.importers.defects import Defect
from linerate.measure.importers.logs.steady import Array, Steady, mean_rate, steady_samples

_CLOCK = re.compile(r"\d{1,2}:\d{2}:\d{2}$")
_SECONDS_OF_DAY = 24 * 3600
INTERVAL_S_DEFAULT = 1.0
"""Of a log with a single sample, which shows none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SarLog:
    """The last stretch of a log without a restart, of one interface; n samples."""

    interval_s: float
    rx_pps: Array
    """Shape (n,)."""
    tx_pps: Array
    busy_ratio: Array
    """Neither idle nor waiting for a disk, shape (n, CPUs)."""
    average_tx_pps: float
    """sar's own average over all of its samples; nan without one."""
    stretches: int
    """Parts of the file that a new header or a restart divides."""
    decimal_comma: bool
    cut_short: bool
    """The file ends within a line, which was left out."""

    @property
    def steady(self) -> slice:
        """The samples within the traffic."""
        return steady_samples(np.maximum(self.rx_pps, self.tx_pps))

    def sent(self) -> Steady | None:
        """Rate that the interface sent at while there was traffic; None where there was none."""
        return mean_rate(self.tx_pps[self.steady], self.interval_s)

    def received(self) -> Steady | None:
        """Rate that it received at, likewise."""
        return mean_rate(self.rx_pps[self.steady], self.interval_s)

    def busy(self, cpus: int) -> float:
        """Mean busy share of the first CPUs while there was traffic; nan where not known."""
        if self.busy_ratio.shape[1] < cpus or not self.busy_ratio.shape[0]:
            return float("nan")
        shares = self.busy_ratio[self.steady, :cpus]
        return float(shares.mean()) if shares.size else float("nan")


@dataclass(slots=True)
class _Stretch:
    """What is gathered between two headers of the file."""

    stamps: list[str]
    interface: list[tuple[float, float]]
    cpus: dict[int, list[float]]


def parse_sar(text: str, interface: str) -> SarLog:
    """Read the rates of one interface and the busy shares of all CPUs.

    Raises
    ------
    ValueError
        It is not a log of sar, or lacks the interface.
    """
    if not text.startswith("Linux "):
        raise ValueError("it does not begin as sar does, with 'Linux' and the kernel's version")
    decimal_comma = bool(re.search(r"\d,\d\d(\s|$)", text))
    whole = text[: text.rfind("\n") + 1]  # a last line without an end was cut short
    lines = whole.replace(",", ".").splitlines() if decimal_comma else whole.splitlines()
    stretches, average = _gather(lines, interface)
    kept = next((part for part in reversed(stretches) if part.interface), None)
    if kept is None:
        raise ValueError(f"there is no sample of interface {interface} in it")
    rates = np.array(kept.interface, dtype=np.float64)
    samples = min([len(rates), *map(len, kept.cpus.values())])  # the last one may be cut short
    busy = np.array([kept.cpus[cpu][:samples] for cpu in sorted(kept.cpus)], dtype=np.float64)
    return SarLog(
        interval_s=_interval_s(kept.stamps), rx_pps=rates[:samples, 0], tx_pps=rates[:samples, 1],
        busy_ratio=busy.T if kept.cpus else np.empty((samples, 0)), average_tx_pps=average,
        stretches=len(stretches), decimal_comma=decimal_comma,
        cut_short=not text.endswith("\n"),
    )  # fmt: skip


def _gather(lines: list[str], interface: str) -> tuple[list[_Stretch], float]:
    stretches: list[_Stretch] = []
    names: list[str] = []
    average = float("nan")
    for line in lines:
        words = line.split()
        if not words:
            names = []
        elif words[0] == "Linux" or "RESTART" in words:
            stretches.append(_Stretch([], [], defaultdict(list)))
            names = []
        elif not names:
            names = _cells(line, words)
        elif names[0] == "IFACE" and words[0].endswith(":"):
            average = _average(names, _cells(line, words), interface, average)
        elif not words[0].endswith(":"):
            _take(stretches[-1], names, _cells(line, words), words[0], interface)
    return [part for part in stretches if part.stamps or part.cpus], average


def _average(names: list[str], cells: list[str], interface: str, before: float) -> float:
    return _value(names, cells, "txpck/s") if cells[0] == interface else before


def _take(part: _Stretch, names: list[str], cells: list[str], stamp: str, interface: str) -> None:
    """Add one row to a stretch, where it is of the interface or of one CPU."""
    if names[0] == "IFACE" and cells[0] == interface:
        part.interface.append((_value(names, cells, "rxpck/s"), _value(names, cells, "txpck/s")))
        part.stamps.append(stamp)
    elif names[0] == "CPU" and cells[0].isdigit():
        part.cpus[int(cells[0])].append(_busy_ratio(names, cells))


def _cells(line: str, words: list[str]) -> list[str]:
    """Leave out the time, with or without AM and PM, or the word for average."""
    if words[0].endswith(":"):
        cells = words[1:]
    elif _CLOCK.match(words[0]):
        cells = words[2:] if words[1:2] in (["AM"], ["PM"]) else words[1:]
    else:
        raise ValueError(f"line {line[:60]!r} begins with neither a time nor an average")
    if not cells:
        raise ValueError(f"line {line[:60]!r} ends behind its time")
    return cells


def _busy_ratio(names: list[str], cells: list[str]) -> float:
    waiting = _value(names, cells, "%iowait") if "%iowait" in names else 0.0
    idle = _value(names, cells, "%idle")
    return min(max(1.0 - (idle + waiting) / 100.0, 0.0), 1.0)


def _value(names: list[str], cells: list[str], name: str) -> float:
    if name not in names or len(cells) != len(names):
        raise ValueError(f"row {' '.join(cells)[:60]!r} does not have the columns of its header")
    return float(cells[names.index(name)])


def _interval_s(stamps: list[str]) -> float:
    if len(stamps) < 2:
        return INTERVAL_S_DEFAULT
    seconds = [sum(int(part) * unit for part, unit in zip(stamp.split(":"), (3600, 60, 1),
               strict=True)) for stamp in stamps]  # fmt: skip
    # Over midnight or noon of a 12-hour clock the difference is short of half a day.
    steps = np.diff(seconds) % (_SECONDS_OF_DAY // 2)
    return float(np.median(steps)) or INTERVAL_S_DEFAULT


def sar_defects(log: SarLog) -> list[Defect]:
    """Name what sar's log gets wrong by itself."""
    checks = (
        ("decimal_comma", log.decimal_comma, "sar"),
        ("cut_short", log.cut_short, "sar"),
        ("log_appended", log.stretches > 1, f"sar: {log.stretches} stretches"),
    )
    return [Defect(name=name, detail=detail) for name, found, detail in checks if found]
