"""MoonGen's log of its counters, as text or CSV."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from linerate.measure.importers.importer import Log, LogFormat, LogRead
from linerate.measure.importers.logs.moongen import moongen_defects, parse_moongen
from linerate.measure.importers.mapping import MappingTable


class MoonGenTable(MappingTable):
    """How MoonGen's counters are read."""

    skip_seconds: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """Left out at the beginning."""
    clock_ratio: Annotated[float, Field(ge=0.9, le=1.1)] = 1.0
    """Rates are divided by it."""


def _read(log: Log[MoonGenTable]) -> LogRead:
    counters = parse_moongen(log.text)
    steady = counters.received(log.table.skip_seconds)
    if steady is None:
        raise ValueError(f"{counters.rx_s.size} readings of the receiver are too few for a rate")
    row = steady.row() | {
        "forwarded_mpps": steady.mpps / log.table.clock_ratio,
        "latency_mean_us": counters.latency_us(),
    }
    return LogRead(rows=[row], defects=[*moongen_defects(counters), *steady.defects()])


IMPORTER = LogFormat(table=MoonGenTable, read=_read)
