"""A campaign: which cells, how often, how long; read from TOML, refused when it cannot be run."""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from linerate.box import first_problem, parse_toml, read_text
from linerate.errors import bad_input
from linerate.measure.datapaths.xdp import (
    DROPPING_PROGRAMS,
    HOOKS,
    LOOKING_UP_PROGRAMS,
    PROGRAMS,
)
from linerate.measure.labs.veth import FRAME_BYTES_LARGEST
from linerate.records import Cell, Load, Mode
from linerate.units import FRAME_BYTES_MIN, line_rate_mpps

CAMPAIGN_BYTES_MAX = 1024 * 1024
MEMORY_ACCESSES_MAX = 1_000_000
"""More would hold a core for over a millisecond a packet."""
LINK_GBPS_MIN, LINK_GBPS_MAX = 0.001, 400.0
"""Links that the generator can imitate; inf beside them for no limit."""
OFFERED_MPPS_MIN, OFFERED_MPPS_MAX = 1e-6, 1000.0
"""Rates that the generator can keep a schedule for."""
TRAIN_PACKETS_MAX = 1 << 20
TRIAL_SECONDS_MIN = 0.001
TRIALS_MAX = 1000
RUNS_MAX = 100_000
"""Program loads of one campaign: at a second each, more than a day."""
IMIX = ((7, 64), (4, 594), (1, 1518))
"""Simple IMIX: weight and frame_bytes, FCS included."""

_Count = Annotated[int, Field(ge=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CellBlock(_Strict):
    """One [[cells]] block: every combination of its lists is a cell."""

    mode: Mode
    datapath: list[str] = Field(min_length=1)
    program: list[str] = Field(min_length=1)
    memory_accesses: list[Annotated[int, Field(ge=0, le=MEMORY_ACCESSES_MAX)]] = Field(min_length=1)
    queues: list[_Count] = Field(min_length=1)
    frame_bytes: list[int | Literal["imix"]] = Field(min_length=1)
    link_gbps: float
    """inf for no link limit."""
    offered_mpps: list[float | Literal["line", "flood"]] = Field(min_length=1)
    arrivals: Literal["constant", "poisson", "burst"] = "constant"
    burst_packets: Annotated[int, Field(ge=1, le=TRAIN_PACKETS_MAX)] = 1
    flows: Annotated[int, Field(ge=1, le=60000)] = 1

    @field_validator("datapath")
    @classmethod
    def _known_datapath(cls, names: list[str]) -> list[str]:
        return _known(names, tuple(HOOKS), "datapath", "the veth lab does not run it")

    @field_validator("program")
    @classmethod
    def _known_program(cls, names: list[str]) -> list[str]:
        return _known(names, PROGRAMS, "program", "no such program")

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

    @field_validator("offered_mpps")
    @classmethod
    def _possible_rate(cls, rates: list[float | str]) -> list[float | str]:
        for rate in rates:
            if not isinstance(rate, str) and not OFFERED_MPPS_MIN <= rate <= OFFERED_MPPS_MAX:
                raise bad_input(
                    "offered_mpps", rate, why="the generator cannot keep it",
                    allowed=f'{OFFERED_MPPS_MIN:g}..{OFFERED_MPPS_MAX:g} Mpps, "line" or "flood"',
                    do="correct it; the unit is million packets a second",
                )  # fmt: skip
        return rates

    @model_validator(mode="after")
    def _possible_together(self) -> CellBlock:
        if most := max(self.memory_accesses):
            _without(
                self.program, set(PROGRAMS) - LOOKING_UP_PROGRAMS, f"with memory_accesses={most}",
                "it makes no lookups",
            )  # fmt: skip
        if "xdp_generic" in self.datapath:
            _without(
                self.program, DROPPING_PROGRAMS, "on xdp_generic",
                "no driver counts what is dropped there",
            )  # fmt: skip
        if self.burst_packets > 1 and self.arrivals != "burst":
            raise bad_input(
                "burst_packets", self.burst_packets, why=f"{self.arrivals} arrivals have no trains",
                allowed='1, or arrivals = "burst"', do="correct one of the two",
            )  # fmt: skip
        return self

    @property
    def cells_count(self) -> int:
        """How many cells the block has, without listing them."""
        return math.prod(
            len(factor)
            for factor in (
                self.datapath, self.program, self.memory_accesses, self.queues, self.frame_bytes,
                self.offered_mpps,
            )
        )  # fmt: skip

    def cells(self, lab: str) -> list[Cell]:
        """Every combination, in the order of the file."""
        return [
            Cell(
                lab=lab, mode=self.mode, datapath=datapath, program=program,
                memory_accesses=accesses, queues=queues, link_gbps=self.link_gbps,
                load=self._load(size, offered),
            )
            for datapath, program, accesses, queues, size, offered in itertools.product(
                self.datapath, self.program, self.memory_accesses, self.queues,
                self.frame_bytes, self.offered_mpps,
            )
        ]  # fmt: skip

    def _load(self, size: int | Literal["imix"], offered: float | Literal["line", "flood"]) -> Load:
        mix = IMIX if size == "imix" else ((1, size),)
        rate_mpps = offered
        if offered == "flood" or (offered == "line" and math.isinf(self.link_gbps)):
            rate_mpps = math.inf
        elif offered == "line":
            mean_bytes = sum(w * b for w, b in mix) / sum(w for w, _ in mix)
            rate_mpps = round(float(line_rate_mpps(self.link_gbps, mean_bytes)), 6)
        return Load(
            frame_mix=mix,
            arrivals="flood" if rate_mpps == math.inf else self.arrivals,
            offered_mpps=float(rate_mpps),
            burst_packets=self.burst_packets if self.arrivals == "burst" else 1,
            flows=self.flows,
        )


class Campaign(_Strict):
    """A whole plan."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    lab: Literal["veth"]
    repetitions: _Count
    """Program loads of each cell."""
    trials: Annotated[int, Field(ge=1, le=TRIALS_MAX)] = 1
    """Timed runs of each load."""
    trial_seconds: Annotated[float, Field(ge=TRIAL_SECONDS_MIN, le=3600)]
    warm_up_seconds: Annotated[float, Field(ge=0, le=600)]
    canary_every: Annotated[int, Field(ge=0)] = 0
    """Runs between two looks at the canary, the plan's first cell; 0 for none."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Seed of the random order."""
    cell_blocks: list[CellBlock] = Field(alias="cells", min_length=1)

    @model_validator(mode="after")
    def _ends_some_day(self) -> Campaign:
        runs = self.repetitions * sum(block.cells_count for block in self.cell_blocks)
        if runs > RUNS_MAX:
            raise bad_input(
                "repetitions", self.repetitions, why=f"with these cells it makes {runs} runs",
                allowed=f"at most {RUNS_MAX} runs", do="split the campaign",
            )  # fmt: skip
        return self

    def cells(self) -> list[Cell]:
        """Every cell of every block; a cell that two blocks name counts once."""
        return list(dict.fromkeys(c for block in self.cell_blocks for c in block.cells(self.lab)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFile:
    """A campaign and the text it was read from."""

    campaign: Campaign
    text: str

    def within_cores(self, cores: int | None = None) -> CampaignFile:
        """Leave out queue counts for which there are no cores; the same plan where none is."""
        fields = tomllib.loads(self.text)
        for block in fields["cells"]:
            most = (cores or os.cpu_count() or 1) // (2 if block["mode"] == "split" else 1)
            block["queues"] = [queues for queues in block["queues"] if queues <= most]
        fields["cells"] = [block for block in fields["cells"] if block["queues"]]
        if fields == tomllib.loads(self.text):
            return self
        return CampaignFile(
            campaign=campaign_from(fields, "within cores"), text=tomli_w.dumps(fields)
        )


def read_campaign(path: Path) -> CampaignFile:
    """Read and check a campaign file.

    Raises
    ------
    BadInputError
        No such file, no TOML, unknown keys, wrong types or impossible values.
    """
    text = read_text(path, CAMPAIGN_BYTES_MAX)
    return CampaignFile(campaign=campaign_from(parse_toml(text, str(path)), str(path)), text=text)


def campaign_from(fields: dict[str, Any], source: str) -> Campaign:
    """Check the parsed TOML of a campaign."""
    try:
        return Campaign.model_validate(fields)
    except ValidationError as error:
        raise first_problem(error, source) from error


def _known(names: list[str], known: tuple[str, ...], field: str, why: str) -> list[str]:
    for name in names:
        if name not in known:
            raise bad_input(
                field, name, why=why, allowed=", ".join(known), do="use one of these names"
            )
    return names


def _without(names: list[str], refused: Collection[str], where: str, why: str) -> None:
    for name in names:
        if name in refused:
            raise bad_input(
                "program", name, why=f"{why} ({where})",
                allowed=", ".join(sorted(set(PROGRAMS) - set(refused))),
                do="give it a [[cells]] block of its own",
            )  # fmt: skip
