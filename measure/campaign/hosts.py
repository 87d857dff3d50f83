"""The [nic] table of a campaign file: which two interfaces, and the way to the other host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from linerate.errors import bad_input
from linerate.measure.campaign.factors import Strict
from linerate.measure.generators.kinds import KINDS
from linerate.measure.labs.card import is_card
from linerate.measure.labs.port import Port
from linerate.measure.remote.kind import GeneratorKind
from linerate.measure.remote.protocol import CORES_MAX, Program
from linerate.measure.remote.ssh import SshTarget
from linerate.measure.tuning import find_held, find_knob
from linerate.measure.tuning.knobs.addresses import checked_addresses

PLACEHOLDER = "your-"
"""What names in the campaign files that come with linerate begin with, until they are edited."""
RESERVED_KNOBS = ("queues", "rx_queues", "tx_queues", "napi_threaded", "benchmark_addresses")
"""Settings that the lab makes itself."""

_Cores = Annotated[
    list[Annotated[int, Field(ge=0, lt=CORES_MAX)]], Field(min_length=1, max_length=CORES_MAX)
]


class NicTable(Strict):
    """Where the nic lab is."""

    interface: str
    """Of this host: the device under test."""
    generator_host: str
    """As ``ssh`` knows it."""
    generator_interface: str
    """Of the generator host, the cable's other end; for moongen and trex a card's PCI address, for
    dpdk either."""
    generator: str = "linerate"
    """Kind of generator there."""
    generator_command: list[str] = Field(default=["linerate"], min_length=1)
    """What starts linerate there."""
    moongen: Program = ""
    """MoonGen's program there, where it is not /opt/MoonGen/build/MoonGen."""
    trex: Program = ""
    """TRex's folder there, where it is not /opt/trex."""
    generator_cores: _Cores = Field(default=[0])
    """Cores that send there."""
    cores: _Cores
    """Cores of this host that serve the interface, the first queue's first."""
    address: str = ""
    """IPv4 address that the interface has while it is measured, of 198.18.0.0/15 (RFC 2544)."""
    ssh_config: str = ""
    """Configuration file of ssh in place of the user's own."""
    tune: dict[str, str] = Field(default_factory=dict)
    """Further settings of the interface while it is measured, as ``linerate show`` names them."""

    @field_validator("interface", "generator_host", "generator_interface")
    @classmethod
    def _was_edited(cls, name: str) -> str:
        if name.startswith(PLACEHOLDER):
            raise bad_input(
                "name", name, why="it is the example's, not one of yours",
                allowed="the names of your hosts and interfaces",
                do="copy the file and edit its [nic] table; docs/two-hosts.md says how",
            )  # fmt: skip
        return name

    @field_validator("generator")
    @classmethod
    def _known_generator(cls, name: str) -> str:
        if name not in KINDS:
            raise bad_input(
                "generator", name, why="no generator host knows it", allowed=", ".join(KINDS),
                do="use one of these",
            )  # fmt: skip
        return name

    @field_validator("tune")
    @classmethod
    def _known_settings(cls, settings: dict[str, str]) -> dict[str, str]:
        for name in settings:
            if name in RESERVED_KNOBS:
                raise bad_input(
                    "tune", name, why="the lab sets it for each cell", allowed="other settings",
                    do="leave it out",
                )  # fmt: skip
            _ = find_held(name) or find_knob(name)
        return settings

    @model_validator(mode="after")
    def _possible(self) -> NicTable:
        self.target()
        if self.address:
            checked_addresses(self.address)
        Port(self.interface)
        self.kind.port(self.generator_interface)
        return self

    @property
    def kind(self) -> GeneratorKind:
        """What sends."""
        return KINDS[self.generator]

    @property
    def brings_link(self) -> bool:
        """Whether the cable has a link only while the generator sends."""
        return self.kind.brings_link and is_card(self.generator_interface)

    @property
    def program(self) -> str:
        """Path of its program there; empty for the usual one."""
        return {"moongen": self.moongen, "trex": self.trex}.get(self.generator, "")

    def target(self) -> SshTarget:
        """Name the way to the generator host."""
        return SshTarget(
            host=self.generator_host,
            command=tuple(self.generator_command),
            config=Path(self.ssh_config).expanduser() if self.ssh_config else None,
        )
