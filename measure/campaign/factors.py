"""Tables within a [[cells]] block: settings of a datapath as lists of factors, and of packets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Set
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from linerate.cells import ChainSettings, FilterSettings, Packet, PipelineSettings, SocketSettings
from linerate.errors import bad_input
from linerate.measure.generators.live_frames import PAYLOAD_BYTES_MAX, SOURCES_MAX

CHAIN_LENGTH_MAX = 32
"""A namespace, two devices and maybe a process each."""


_Count = Annotated[int, Field(ge=1)]


class Strict(BaseModel):
    """What every part of a campaign file is: no unknown keys, no coercion, not changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PacketTable(Strict):
    """What the packets of a block are."""

    protocol: Literal["udp", "tcp"] = "udp"
    tcp_flags: str = ""
    payload: Annotated[str, Field(max_length=PAYLOAD_BYTES_MAX)] = ""
    sources: Annotated[int, Field(ge=1, le=SOURCES_MAX)] = 1

    @model_validator(mode="after")
    def _possible(self) -> PacketTable:
        self.packet()
        return self

    def packet(self) -> Packet:
        """Make the record."""
        return Packet(**self.model_dump())


class SocketFactors(Strict):
    """Every combination is one way to run an AF_XDP socket."""

    hook: list[Literal["native", "generic"]] = Field(default=["native"], min_length=1)
    zero_copy: list[bool] = Field(default=[False], min_length=1)
    need_wakeup: list[bool] = Field(default=[True], min_length=1)
    busy_poll: list[bool] = Field(default=[False], min_length=1)
    batch_packets: list[Annotated[int, Field(ge=1, le=256)]] = Field(default=[64], min_length=1)
    sockets: list[Literal["per_queue", "queue_0"]] = Field(default=["per_queue"], min_length=1)

    def settings(self) -> Iterator[SocketSettings]:
        """Each combination, in the order of the lists."""
        for values in _product(self):
            yield SocketSettings(**values)  # type: ignore[arg-type]


class FilterFactors(Strict):
    """Where the filters of a block sit."""

    hook: list[Literal["ingress", "prerouting", "input"]] = Field(
        default=["prerouting"], min_length=1
    )
    flavour: list[Literal["", "nft", "legacy", "module"]] = Field(default=[""], min_length=1)

    def settings(self) -> Iterator[FilterSettings]:
        """Each combination, in the order of the lists."""
        for values in _product(self):
            yield FilterSettings(**values)  # type: ignore[arg-type]


class ChainFactors(Strict):
    """The chains of a block."""

    length: list[Annotated[int, Field(ge=0, le=CHAIN_LENGTH_MAX)]] = Field(min_length=1)
    topology: list[Literal["direct", "hub"]] = Field(default=["direct"], min_length=1)
    function: list[Literal["raw_socket", "af_xdp", "tc"]] = Field(
        default=["raw_socket"], min_length=1
    )
    nsh_aware: list[bool] = Field(default=[False], min_length=1)
    metadata_type: list[Literal[1, 2]] = Field(default=[1], min_length=1)

    def settings(self) -> Iterator[ChainSettings]:
        """Each combination, in the order of the lists."""
        for values in _product(self):
            yield ChainSettings(**values)  # type: ignore[arg-type]


class PipelineFactors(Strict):
    """Every combination is one way to feed and run a pipeline of DPDK's SWX."""

    port: list[Literal["net_null", "ring", "memif", "af_xdp", "pci"]] = Field(
        default=["ring"], min_length=1
    )
    device: list[str] = Field(default=[""], min_length=1)
    burst_packets: list[Annotated[int, Field(ge=1, le=64)]] = Field(default=[32], min_length=1)
    hugepages: list[bool] = Field(default=[False], min_length=1)
    memory_channels: list[Annotated[int, Field(ge=0, le=32)]] = Field(default=[0], min_length=1)
    oversubscribed: list[bool] = Field(default=[False], min_length=1)
    table_entries: list[_Count] = Field(default=[1024], min_length=1)
    registers: list[_Count] = Field(default=[1024], min_length=1)
    tables: dict[str, str] = Field(default={})
    """Files of entries by table, of the user's own program."""

    def settings(self) -> Iterator[PipelineSettings]:
        """Each combination, in the order of the lists."""
        tables = tuple(sorted(self.tables.items()))
        for values in _product(self, leaving_out={"tables"}):
            yield PipelineSettings(**values, tables=tables)  # type: ignore[arg-type]


def check_filter(datapath: str, settings: FilterSettings) -> None:
    """Refuse a hook or a flavour of filter that a datapath does not have."""
    if settings.hook == "ingress" and datapath != "nftables":
        raise bad_input(
            "hook", "ingress", why=f"{datapath} does not have it",
            allowed="prerouting, input", do="give nftables a [[cells]] block of its own",
        )  # fmt: skip
    flavour = settings.flavour
    allowed = {"iptables": ("nft", "legacy"), "netfilter": ("", "module")}.get(datapath, ("",))
    if flavour not in allowed:
        raise bad_input(
            "flavour", repr(flavour), why=f"{datapath} has no such flavour",
            allowed=", ".join(map(repr, allowed)),
            do="give the datapath a [[cells]] block of its own",
        )  # fmt: skip


def _product(factors: Strict, leaving_out: Set[str] = frozenset()) -> Iterator[dict[str, object]]:
    lists: dict[str, list[object]] = factors.model_dump(exclude=set(leaving_out))
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))
