"""How a pipeline of DPDK's SWX is fed and run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from linerate.cells import Cell
from linerate.messages import counted, message
from linerate.settings import Label, Pairs, Setting, setting, settings_from

BURST_PACKETS_MAX = 64
_REGISTER, _REGISTERS = counted("{n} register", "{n} registers")
_CHANNEL, _CHANNELS = counted("{n} memory channel", "{n} memory channels")


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSettings:
    """How a pipeline of DPDK's SWX is fed and run; it has as many lcores as there are queues."""

    table: ClassVar[str] = "pipeline"
    port: Literal["net_null", "ring", "memif", "af_xdp", "pci"] = setting(
        "ring",
        Setting(
            column="pipeline_port",
            meaning="swx: net_null, ring, memif, af_xdp or pci",
            label=Label(
                words={"net_null": message("net_null ports"), "ring": message("ring ports")}
            ),
        ),
    )
    """Where packets come from: the lcore itself (only the service time counts), the generator by
    rings or by a shared-memory device, the veth lab by AF_XDP sockets, or a network card."""
    device: str = setting(
        "",
        Setting(column="pipeline_device", meaning="swx: PCI address of the card, with port pci"),
    )
    burst_packets: int = setting(
        32,
        Setting(
            column="pipeline_burst_packets",
            unit="packets",
            meaning="swx: taken from a port, and given to one, at once",
            label=Label(one=message("bursts of {n}")),
            within=(1, BURST_PACKETS_MAX),
        ),
    )
    hugepages: bool = setting(
        False,
        Setting(
            column="hugepages",
            meaning="swx: DPDK's memory is in hugepages",
            label=Label(words={True: message("hugepages"), False: ""}),
        ),
    )
    memory_channels: int = setting(
        0,
        Setting(
            column="memory_channels",
            meaning="swx: what DPDK spreads objects over; 0: it decides",
            label=Label(words={0: ""}, one=_CHANNEL, many=_CHANNELS),
            within=(0, 32),
        ),
    )
    oversubscribed: bool = setting(
        False,
        Setting(
            column="oversubscribed",
            meaning="swx: lcores share cores",
            label=Label(words={True: message("lcores share cores"), False: ""}),
        ),
    )
    table_entries: int = setting(
        1024,
        Setting(
            column="table_entries",
            meaning="swx: entries of each table that operations look up",
            label=Label(one=message("tables of {n}"), digits=6),
            within=(1, float("inf")),
        ),
    )
    """Of each table of a generated program, one for each of the first flows."""
    registers: int = setting(
        1024,
        Setting(
            column="registers",
            meaning="swx: registers of 8 B that accesses range over",
            label=Label(one=_REGISTER, many=_REGISTERS, digits=8),
            within=(1, float("inf")),
        ),
    )
    """Of a generated program; the flows are spread over them."""
    tables: Pairs = setting(  # noqa: RUF009 - as dataclasses.field
        (),
        Setting(
            column="pipeline_tables", meaning="swx: JSON, table of one's own program -> its entries"
        ),
    )
    """Pairs (table, file with its entries) of the user's own program."""


def settings_of(cell: Cell) -> PipelineSettings:
    """Read how a cell's pipeline is run."""
    return settings_from(PipelineSettings, cell.settings)
