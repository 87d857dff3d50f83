"""The logs of one run, read: which lie there, and what each of them gets wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linerate.measure.importers.capeletti_names import LogKind
from linerate.measure.importers.defects import Defect
from linerate.measure.importers.moongen import MoonGenLog, parse_moongen
from linerate.measure.importers.perf import PerfLog, parse_perf
from linerate.measure.importers.sar import SarLog, parse_sar
from linerate.measure.importers.sources import SourceFile

INTERFACE = "ens2np0"
"""The device's port that sends back."""
SAME_COUNT_RATIO = 1e-6
"""Text log and CSV of a run hold the same counters."""


@dataclass(slots=True)
class RunLogs:
    """What was found of one run so far."""

    sar: SarLog | None = None
    perf: PerfLog | None = None
    csv: MoonGenLog | None = None
    txt: MoonGenLog | None = None
    seen: set[LogKind] = field(default_factory=set)
    """Kinds of log that lie there, readable or not."""
    defects: list[tuple[str, Defect]] = field(default_factory=list)
    """Path and defect of what was wrong with a file as such."""

    def add(self, kind: LogKind, file: SourceFile) -> None:
        """Read one more log; one that cannot be read becomes a defect."""
        if kind in self.seen:
            self.defects.append((file.path, Defect(name="duplicate_log", detail=kind)))
            return
        self.seen.add(kind)
        try:
            if file.refused:
                raise ValueError(file.refused)
            self._parse(kind, file.text())
        except ValueError as error:
            self.defects.append((file.path, Defect(name="unreadable", detail=str(error))))

    def _parse(self, kind: LogKind, text: str) -> None:
        if kind == "sar":
            self.sar = parse_sar(text, INTERFACE)
        elif kind == "perf":
            self.perf = parse_perf(text)
        elif kind == "generator_csv":
            self.csv = parse_moongen(text)
        else:
            self.txt = parse_moongen(text)

    @property
    def generator(self) -> MoonGenLog | None:
        """The generator's log: the CSV where there is one."""
        return self.csv or self.txt

    def presence_defects(self) -> list[Defect]:
        """Say which logs are missing, or contradict each other."""
        found = [
            Defect(name=f"{name}_missing")
            for name, log in (("generator", self.generator), ("sar", self.sar), ("perf", self.perf))
            if log is None
        ]
        if self.txt is not None and self.csv is None:
            found.append(Defect(name="csv_missing"))
        if self.txt is not None and self.csv is not None and not _same(self.csv, self.txt):
            found.append(Defect(name="logs_differ"))
        return found


def _same(one: MoonGenLog, other: MoonGenLog) -> bool:
    return one.rx_packets.shape == other.rx_packets.shape and bool(
        np.allclose(one.rx_packets, other.rx_packets, rtol=SAME_COUNT_RATIO)
    )


def generator_defects(log: MoonGenLog) -> list[Defect]:
    """Name what the generator's log gets wrong by itself."""
    checks = (
        ("log_appended", log.runs > 1, f"{log.runs} runs in the file"),
        ("cut_short", log.cut_short, ""),
        ("header_shifted", log.header_shifted, ""),
        ("counter_fell", log.counter_fell, ""),
        ("rx_zero", log.received_nothing, f"{log.rx_s.size} readings"),
    )
    found = [Defect(name=name, detail=detail) for name, is_so, detail in checks if is_so]
    return found + _latency_defects(log)


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


def perf_defects(log: PerfLog) -> list[Defect]:
    """Name what perf's log gets wrong by itself."""
    found = []
    if log.runs > 1:
        found.append(Defect(name="log_appended", detail=f"perf: {log.runs} measurements"))
    if log.counts_command_only:
        instructions = log.counts.get("instructions")
        counted = f", {instructions:.0f} instructions" if instructions is not None else ""
        found.append(Defect(name="perf_counts_command", detail=f"'{log.command}'{counted}"))
    if log.not_counted:
        names = ", ".join(log.not_counted)
        found.append(Defect(name="events_not_counted", detail=names))
    return found
