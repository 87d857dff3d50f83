"""The factors of a block of a campaign file: lists, each combination of which is a cell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Annotated, Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from linerate.cells import (
    Cell,
    ChainSettings,
    FilterSettings,
    Generator,
    Load,
    Mode,
    PipelineSettings,
    SocketSettings,
)
from linerate.errors import bad_input
from linerate.measure.campaign.factors import (
    ChainFactors,
    FilterFactors,
    PacketTable,
    PipelineFactors,
    SocketFactors,
    Strict,
)
from linerate.measure.campaign.rules import BLOCK_RULES, known
from linerate.measure.datapaths.registry import datapath_named, datapaths
from linerate.measure.labs.veth import FRAME_BYTES_LARGEST
from linerate.units import FRAME_BYTES_MIN, line_rate_mpps

MEMORY_ACCESSES_MAX = 1_000_000
"""More would hold a core for over a millisecond a packet."""
LINK_GBPS_MIN, LINK_GBPS_MAX = 0.001, 400.0
"""Links that the generator can imitate; inf beside them for no limit."""
TRAIN_PACKETS_MAX = 1 << 20
WORKING_SET_BYTES_MAX = 16 * 1024**3
PINGS_PER_SECOND_MAX = 1000.0
"""Echo requests; more of them would be a load of their own."""
IMIX = ((7, 64), (4, 594), (1, 1518))
"""Simple IMIX: weight and frame_bytes, FCS included."""

Factors = SocketFactors | FilterFactors | ChainFactors | PipelineFactors
USUAL: dict[str, Factors] = {
    "socket": SocketFactors(), "filter": FilterFactors(), "pipeline": PipelineFactors(),
}  # fmt: skip
"""Settings where a block has no such table; a chain has no usual length."""
_Count = Annotated[int, Field(ge=1)]
FrameMix = tuple[tuple[int, int], ...]
Offered = float | Literal["line", "flood"]
Settings = SocketSettings | FilterSettings | ChainSettings | PipelineSettings
S = TypeVar("S", SocketSettings, FilterSettings, ChainSettings, PipelineSettings)


class FactorBlock(Strict):
    """The factors of a block, without the rates that are offered."""

    mode: Mode
    datapath: list[str] = Field(min_length=1)
    program: list[str] = Field(min_length=1)
    memory_accesses: list[Annotated[int, Field(ge=0, le=MEMORY_ACCESSES_MAX)]] = Field(
        [0], min_length=1
    )
    operations: list[dict[str, _Count]] = Field([{}], min_length=1)
    working_set_bytes: list[Annotated[int, Field(ge=0, le=WORKING_SET_BYTES_MAX)]] = Field(
        [0], min_length=1
    )
    socket: SocketFactors | None = None
    filter: FilterFactors | None = None
    chain: ChainFactors | None = None
    pipeline: PipelineFactors | None = None
    queues: list[_Count] = Field(min_length=1)
    frame_bytes: list[int | Literal["imix"]] = Field(min_length=1)
    link_gbps: float
    """inf for no link limit."""
    flows: Annotated[int, Field(ge=1, le=60000)] = 1
    arrivals: Literal["constant", "poisson", "burst"] = "constant"
    burst_packets: Annotated[int, Field(ge=1, le=TRAIN_PACKETS_MAX)] = 1
    packet: PacketTable = PacketTable()
    generator: Generator = "live_frames"
    pings_per_second: Annotated[float, Field(ge=0.0, le=PINGS_PER_SECOND_MAX)] = 0.0

    @field_validator("datapath")
    @classmethod
    def _known_datapath(cls, names: list[str]) -> list[str]:
        return known(names, tuple(datapaths()), "datapath", "no lab runs it")

    @field_validator("program")
    @classmethod
    def _known_program(cls, names: list[str]) -> list[str]:
        records = datapaths().values()
        programs = tuple(dict.fromkeys(name for each in records for name in each.programs))
        strange = [name for name in names if not any(each.takes(name) for each in records)]
        known(strange, programs, "program", "no such program")
        return names

    @field_validator("frame_bytes")
    @classmethod
    def _possible_size(cls, sizes: list[int | str]) -> list[int | str]:
        for size in sizes:
            if isinstance(size, int) and not FRAME_BYTES_MIN <= size <= FRAME_BYTES_LARGEST:
                raise bad_input(
                    "frame_bytes", size, why="the veth lab cannot send it (FCS counted)",
                    allowed=f"{FRAME_BYTES_MIN}..{FRAME_BYTES_LARGEST} or \"imix\"",
                    do="choose a size in between",
                )  # fmt: skip
        return sizes

    @field_validator("link_gbps")
    @classmethod
    def _possible_link(cls, link_gbps: float) -> float:
        if link_gbps != math.inf and not LINK_GBPS_MIN <= link_gbps <= LINK_GBPS_MAX:
            raise bad_input(
                "link_gbps", link_gbps, why="the veth lab cannot imitate such a link",
                allowed=f"{LINK_GBPS_MIN:g}..{LINK_GBPS_MAX:g} Gbit/s, or inf for no limit",
                do="correct it",
            )  # fmt: skip
        return link_gbps

    @model_validator(mode="after")
    def _fits_together(self) -> FactorBlock:
        for rule in BLOCK_RULES:
            rule(self)
        return self

    @property
    def combinations(self) -> int:
        """How many cells the block has at one rate, without listing them."""
        return sum(len(self._settings(datapath)) for datapath in self.datapath) * math.prod(
            len(factor)
            for factor in (
                self.program, self.memory_accesses, self.operations, self.working_set_bytes,
                self.queues, self.frame_bytes,
            )
        )  # fmt: skip

    def combined(self, lab: str, loads_of: Callable[[FrameMix], Iterable[Load]]) -> list[Cell]:
        """Every combination, in the order of the file, under each load of its frame sizes."""
        return [
            Cell(
                lab=lab, mode=self.mode, datapath=datapath, program=program,
                memory_accesses=accesses, operations=tuple(sorted(operations.items())),
                working_set_bytes=working_set, queues=queues, link_gbps=self.link_gbps, load=load,
                socket=_if(settings, SocketSettings), filter=_if(settings, FilterSettings),
                chain=_if(settings, ChainSettings), pipeline=_if(settings, PipelineSettings),
            )
            for datapath in self.datapath
            for program, accesses, operations, working_set, settings, queues, size in (
                itertools.product(
                    self.program, self.memory_accesses, self.operations, self.working_set_bytes,
                    self._settings(datapath), self.queues, self.frame_bytes,
                )
            )
            for load in loads_of(IMIX if size == "imix" else ((1, size),))
        ]  # fmt: skip

    def load(self, mix: FrameMix, offered: Offered) -> Load:
        """One load of the block's packets; a rate of "line" is that of the mean frame."""
        rate_mpps = math.inf if offered == "flood" else offered
        if rate_mpps == "line":
            mean_bytes = sum(w * b for w, b in mix) / sum(w for w, _ in mix)
            rate_mpps = float(line_rate_mpps(self.link_gbps, mean_bytes))
            rate_mpps = rate_mpps if math.isinf(rate_mpps) else round(rate_mpps, 6)
        return Load(
            frame_mix=mix,
            arrivals="flood" if rate_mpps == math.inf else self.arrivals,
            offered_mpps=float(rate_mpps),
            burst_packets=self.burst_packets,
            flows=self.flows,
            packet=self.packet.packet(),
            generator=self.generator,
            pings_per_second=self.pings_per_second,
        )

    def _settings(self, datapath: str) -> list[Settings | None]:
        table = datapath_named(datapath).settings
        if not table:
            return [None]
        factors: Factors | None = getattr(self, table) or USUAL.get(table)
        return [*factors.settings()] if factors is not None else [None]


def _if(settings: Settings | None, kind: type[S]) -> S | None:
    return settings if isinstance(settings, kind) else None
