"""A campaign: which cells, how often, how long; read from TOML, refused when it cannot be run."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import Field, ValidationError, model_validator

from linerate.box import first_problem, parse_toml, read_text
from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.files.kinds import no_plan
from linerate.measure.campaign.cells import CellBlock
from linerate.measure.campaign.factors import Strict
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.campaign.latency import leaves_trials_out, with_latency_defaults
from linerate.measure.campaign.searches import SearchBlock
from linerate.measure.collectors.probed import ProbeKind
from linerate.measure.datapaths.own import read_own_files
from linerate.measure.datapaths.registry import datapath_named
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.search.limits import flooded
from linerate.measure.search.spec import SearchSpec

LAB_FILE = "lab_file"
"""Key of ``[nic]`` in a plan that takes it from a lab file; never of a campaign."""
CAMPAIGN_BYTES_MAX = 1024 * 1024
TRIAL_SECONDS_MIN = 0.001
TRIALS_MAX = 1000
RETRIES_MAX = 10
RUNS_MAX = 100_000
"""Program loads of one campaign: at a second each, more than a day."""

_Count = Annotated[int, Field(ge=1)]


class Campaign(Strict):
    """A whole plan."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
    lab: Literal["veth", "dpdk", "nic"]
    nic: NicTable | None = None
    """Which interfaces and hosts; only of the nic lab."""
    repetitions: _Count
    """Program loads of each cell."""
    trials: Annotated[int, Field(ge=1, le=TRIALS_MAX)] = 1
    """Timed runs of each load."""
    retries: Annotated[int, Field(ge=0, le=RETRIES_MAX)] = 2
    """Further trials of a load whose trial was disturbed; the disturbed ones are kept, marked."""
    trial_seconds: Annotated[float, Field(ge=TRIAL_SECONDS_MIN, le=3600)]
    warm_up_seconds: Annotated[float, Field(ge=0, le=600)]
    canary_every: Annotated[int, Field(ge=0)] = 0
    """Runs, and searches, between two looks at the canary; 0 for none."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Seed of the random order."""
    probes: list[ProbeKind] = Field(default_factory=list)
    """What collectors count around each trial; each costs some of the rate."""
    cell_blocks: list[CellBlock] = Field([], alias="cells", min_length=1)
    search_blocks: list[SearchBlock] = Field([], alias="searches", min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _fill_latency(cls, fields: object) -> object:
        return with_latency_defaults(fields) if isinstance(fields, dict) else fields

    @model_validator(mode="after")
    def _measures_something(self) -> Campaign:
        if not self.cell_blocks and not self.search_blocks:
            raise bad_input(
                "cells", "none", why="there is nothing to measure",
                allowed="one [[cells]] or [[searches]] block or more", do="add one",
            )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _lab_runs_it(self) -> Campaign:
        for block in (*self.cell_blocks, *self.search_blocks):
            for datapath in block.datapath:
                labs = datapath_named(datapath).labs
                if self.lab != "nic" and self.lab not in labs:
                    raise bad_input(
                        "lab", self.lab, why=f"datapath {datapath} does not run in it",
                        allowed=" or ".join(labs), do="split the campaign",
                    )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _rates_are_ours(self) -> Campaign:
        for block in self.search_blocks:
            from_card = any(
                isinstance(each, PipelineSettings) and each.port == "pci"
                for datapath in block.datapath for each in block.settings(datapath)
            )  # fmt: skip
            if self.lab != "nic" and from_card:
                raise bad_input(
                    "port", "pci", why="its packets come from another machine, at that one's rate",
                    allowed="the other ports in a search, or the nic lab, which sets that rate",
                    do="use [[cells]] blocks",
                )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _has_its_hosts(self) -> Campaign:
        if (self.lab == "nic") != (self.nic is not None):
            raise bad_input(
                "nic", "a table" if self.nic else "nothing", why=f"the lab is {self.lab}",
                allowed='a [nic] table with lab = "nic", none with others', do="correct one",
            )  # fmt: skip
        modes = {block.mode for block in (*self.cell_blocks, *self.search_blocks)}
        if self.lab == "nic" and modes != {"split"}:
            raise bad_input(
                "mode", "serial", why="in the nic lab the generator is on another host",
                allowed="split", do="correct it",
            )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _looks_at_something(self) -> Campaign:
        if "sharing" in self.probes and not any(
            block.can_be_looked_at for block in self.cell_blocks
        ):
            raise bad_input(
                "probes", "sharing", why="it looks at cells of serial mode and at floods, and "
                "there are none: else its looks would lie in the latencies",
                allowed="the other probes", do="leave it out",
            )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _ends_some_day(self) -> Campaign:
        runs = self.repetitions * (
            sum(block.cells_count for block in self.cell_blocks)
            + sum(block.combinations for block in self.search_blocks)
        )
        if runs > RUNS_MAX:
            raise bad_input(
                "repetitions", self.repetitions, why=f"with these cells it makes {runs} runs",
                allowed=f"at most {RUNS_MAX} runs", do="split the campaign",
            )  # fmt: skip
        return self

    @model_validator(mode="after")
    def _goals_fit(self) -> Campaign:
        for block in self.search_blocks:
            self._spec(block)  # refuses goals that cannot be, with the campaign's own trials
        return self

    def cells(self) -> list[Cell]:
        """Every cell of every block; a cell that two blocks name counts once."""
        return list(dict.fromkeys(c for block in self.cell_blocks for c in block.cells(self.lab)))

    def canary_cell(self) -> Cell:
        """Take the plan's first cell, or without any the first that is searched, flooded.

        A flood shows how fast the machine is in one trial, whatever the search will find.
        """
        if self.cell_blocks:
            return self.cell_blocks[0].cells(self.lab)[0]
        searched = self.search_blocks[0].cells(self.lab)[0]
        return replace(searched, load=flooded(searched.load))

    def searches(self) -> list[tuple[Cell, SearchSpec]]:
        """Every cell to be searched, and how; what two blocks ask for alike counts once."""
        found: dict[tuple[Cell, SearchSpec], None] = {}
        for block in self.search_blocks:
            spec = self._spec(block)
            found |= dict.fromkeys((cell, spec) for cell in block.cells(self.lab))
        return list(found)

    def _spec(self, block: SearchBlock) -> SearchSpec:
        return block.spec(
            trial_seconds=self.trial_seconds, warm_up_seconds=self.warm_up_seconds,
            retries=self.retries,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFile:
    """A campaign and the text it was read from."""

    campaign: Campaign
    text: str
    folder: Path = Path()
    """Where the paths in it begin."""

    @property
    def is_long(self) -> bool:
        """Whether its trials are as long as latency asks for since it does not say how long."""
        return leaves_trials_out(tomllib.loads(self.text))

    def files(self) -> dict[str, bytes]:
        """Contents of the files it names, by path."""
        cells = [*self.campaign.cells(), *(cell for cell, _ in self.campaign.searches())]
        return read_own_files(cells, self.folder)

    def within_cores(self, cores: int | None = None) -> CampaignFile:
        """Leave out queue counts for which there are no cores; the same plan where none is."""
        fields = tomllib.loads(self.text)
        for name in {"cells", "searches"} & set(fields):
            for block in fields[name]:
                most = self._queues_max(block["mode"], cores or os.cpu_count() or 1)
                block["queues"] = [queues for queues in block["queues"] if queues <= most]
            fields[name] = [block for block in fields[name] if block["queues"]]
            fields = {key: value for key, value in fields.items() if value != []}
        if fields == tomllib.loads(self.text):
            return self
        return CampaignFile(
            campaign=campaign_from(fields, "within cores"), text=tomli_w.dumps(fields),
            folder=self.folder,
        )  # fmt: skip

    def _queues_max(self, mode: str, cores: int) -> int:
        """Most queues: cores that the [nic] table names, or all, less the generator's."""
        if self.campaign.nic is not None:
            return len(self.campaign.nic.cores)
        return cores // (2 if mode == "split" else 1)


def read_campaign(path: Path) -> CampaignFile:
    """Read and check a campaign file.

    Raises
    ------
    BadInputError
        No such file, no TOML, unknown keys, wrong types or impossible values.
    """
    if refusal := no_plan(path):
        raise refusal
    text = read_text(path, CAMPAIGN_BYTES_MAX)
    fields = parse_toml(text, str(path))
    if isinstance(fields.get("nic"), dict) and LAB_FILE in fields["nic"]:
        fields["nic"] = _nic_of_box(fields["nic"], path)
        text = tomli_w.dumps(fields)  # as measured: a lab file may change
    return CampaignFile(campaign=campaign_from(fields, str(path)), text=text, folder=path.parent)


def _nic_of_box(written: dict[str, Any], path: Path) -> dict[str, Any]:
    """Take hosts, cable and cores of a box from the lab file; what the plan writes goes before."""
    from linerate.measure.boxes.lab_file import read_lab  # few plans name one

    own = {name: value for name, value in written.items() if name not in (LAB_FILE, "box")}
    named, box = written[LAB_FILE], written.get("box")
    if not (isinstance(named, str) and isinstance(box, str)):
        raise bad_input(
            f"{path}: nic", f"{LAB_FILE}={named} box={box}", why="both are names",
            allowed=f'{LAB_FILE} = "lab.toml" with box = "a name of its boxes"', do="write both",
        )  # fmt: skip
    return {**read_lab(path.parent / named).nic(box), **own}


def campaign_from(fields: dict[str, Any], source: str) -> Campaign:
    """Check the parsed TOML of a campaign."""
    try:
        return Campaign.model_validate(fields)
    except ValidationError as error:
        raise first_problem(error, source) from error
