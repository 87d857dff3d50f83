"""The logs of one run, read: which lie there, and what each of them gets wrong."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linerate.measure.importers.defects import Defect
from linerate.measure.importers.formats.capeletti.names import LogKind
from linerate.measure.importers.logs.moongen import MoonGenLog, parse_moongen
from linerate.measure.importers.logs.perf import PerfLog, parse_perf
from linerate.measure.importers.logs.sar import SarLog, parse_sar
from linerate.measure.importers.logs.sources import SourceFile

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
