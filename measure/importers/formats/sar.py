"""Output of sar: the rate of one interface and how busy CPUs were."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from linerate.measure.importers.importer import Log, LogFormat, LogRead
from linerate.measure.importers.logs.sar import parse_sar, sar_defects
from linerate.measure.importers.mapping import MappingTable


class SarTable(MappingTable):
    """Which of sar's rows count."""

    interface: Annotated[str, Field(min_length=1, max_length=15)]
    counter: Literal["tx", "rx"] = "tx"
    """What the device forwards: what this interface sends, or receives."""


def _read(log: Log[SarTable]) -> LogRead:
    sar = parse_sar(log.text, log.table.interface)
    steady = sar.sent() if log.table.counter == "tx" else sar.received()
    if steady is None:
        raise ValueError(f"no traffic of {log.table.interface} in {sar.tx_pps.size} samples")
    row = steady.row() | {"cpu_busy_ratio": sar.busy(log.run.queues or 1)}
    return LogRead(rows=[row], defects=[*sar_defects(sar), *steady.defects()])


IMPORTER = LogFormat(table=SarTable, read=_read)
