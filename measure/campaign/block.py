"""The factors of a block of a campaign file: lists, each combination of which is a cell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Literal

from pydantic import (
    Field,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from linerate.box import first_problem
from linerate.cells import Cell, Generator, Load, Mode
from linerate.errors import bad_input
from linerate.measure.campaign.factors import PacketTable, Strict, combinations, factors_of
from linerate.measure.campaign.rules import BLOCK_RULES, known
from linerate.measure.datapaths.own import is_own, settings_of_program
from linerate.measure.datapaths.registry import datapaths, settings_tables
from linerate.measure.labs.veth import FRAME_BYTES_LARGEST
from linerate.settings import SettingsType, columns_of, declared
from linerate.units import FRAME_BYTES_MIN, line_rate_mpps

MEMORY_ACCESSES_MAX = 1_000_000
"""More would hold a core for over a millisecond a packet."""
LINK_GBPS_MIN, LINK_GBPS_MAX = 0.001, 400.0
"""Links that the generator can imitate; inf beside them for no limit."""
BURST_PACKETS_MAX = 1 << 20
WORKING_SET_BYTES_MAX = 16 * 1024**3
PINGS_PER_SECOND_MAX = 1000.0
"""Echo requests; more of them would be a load of their own."""
IMIX = ((7, 64), (4, 594), (1, 1518))
"""Simple IMIX: weight and frame_bytes, FCS included."""

_Count = Annotated[int, Field(ge=1)]
FrameMix = tuple[tuple[int, int], ...]
Offered = float | Literal["line", "flood"]


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
    given: dict[str, SerializeAsAny[Strict]] = Field(default_factory=dict)
    """Tables of settings, by the key that the datapath's record gives them."""
    queues: list[_Count] = Field(min_length=1)
    frame_bytes: list[int | Literal["imix"]] = Field([], min_length=1)
    """Left out only where settings name the frames."""
    link_gbps: float
    """inf for no link limit."""
    flows: Annotated[int, Field(ge=1, le=60000)] = 1
    arrivals: Literal["constant", "poisson", "burst"] = "constant"
    burst_packets: Annotated[int, Field(ge=1, le=BURST_PACKETS_MAX)] = 1
    packet: PacketTable = PacketTable()
    generator: Generator = "live_frames"
    pings_per_second: Annotated[float, Field(ge=0.0, le=PINGS_PER_SECOND_MAX)] = 0.0

    @model_validator(mode="before")
    @classmethod
    def _with_tables(cls, fields: object) -> object:
        """Read the tables of settings that datapaths have; no key of the file is ``given``."""
        if not isinstance(fields, dict) or "given" in fields:
            return {**fields, "given": None} if isinstance(fields, dict) else fields
        given = {}
        for key, kind in settings_tables().items():
            if key in fields:
                try:
                    given[key] = factors_of(kind).model_validate(fields[key])
                except ValidationError as error:
                    raise first_problem(error, key) from error
        return {key: value for key, value in fields.items() if key not in given} | {"given": given}

    @model_serializer(mode="wrap")
    def _as_written(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Put the tables of settings back where a campaign file has them."""
        fields: dict[str, object] = write(self)
        given = fields.pop("given", {})
        return fields | given if isinstance(given, dict) else fields

    @field_validator("datapath")
    @classmethod
    def _known_datapath(cls, names: list[str]) -> list[str]:
        return known(names, tuple(datapaths()), "datapath", "no lab runs it")

    @field_validator("program")
    @classmethod
    def _known_program(cls, names: list[str]) -> list[str]:
        records = datapaths().values()
        programs = tuple(dict.fromkeys(name for each in records for name in each.programs))
        known([name for name in names if not is_own(name)], programs, "program", "no such program")
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
        settings = [
            len(self.settings(datapath, program))
            for datapath in self.datapath
            for program in self.program
        ]
        return sum(settings) * math.prod(
            len(factor)
            for factor in (
                self.memory_accesses, self.operations, self.working_set_bytes, self.queues,
                self.sizes,
            )
        )  # fmt: skip

    @property
    def sizes(self) -> Sequence[int | Literal["imix"]]:
        """Sizes of frames; where settings name the frames one, until these are read."""
        return [FRAME_BYTES_MIN] if self.names_frames else self.frame_bytes

    @property
    def names_frames(self) -> bool:
        """Whether settings name the frames that are sent."""
        return any(
            each.about.names_frames and any(getattr(table, each.name))
            for key, table in self.given.items()
            for each in declared(settings_tables()[key])
        )

    def combined(self, lab: str, loads_of: Callable[[FrameMix], Iterable[Load]]) -> list[Cell]:
        """Every combination, in the order of the file, under each load of its frame sizes."""
        return [
            Cell(
                lab=lab, mode=self.mode, datapath=datapath, program=program,
                memory_accesses=accesses, operations=tuple(sorted(operations.items())),
                working_set_bytes=working_set, queues=queues, link_gbps=self.link_gbps, load=load,
                settings=columns_of(settings) if settings else (),
            )
            for datapath in self.datapath
            for program in self.program
            for accesses, operations, working_set, settings, queues, size in (
                itertools.product(
                    self.memory_accesses, self.operations, self.working_set_bytes,
                    self.settings(datapath, program), self.queues, self.sizes,
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

    def settings(self, datapath: str, program: str = "") -> Sequence[SettingsType | None]:
        """Every combination of a datapath's settings: of its table, or else the usual ones.

        Parameters
        ----------
        datapath, program
            Whose; one's own programs may have others than those of ours.
        """
        kind = settings_of_program(datapath, program)
        if kind is None:
            return [None]
        table = self.given.get(kind.table)
        return combinations(kind, table) if table else [kind()]
