"""What a campaign says of a ruleset of the user's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from linerate.cells import Cell, Packet
from linerate.errors import bad_input
from linerate.measure.datapaths.own import is_own
from linerate.messages import message
from linerate.settings import Label, Setting, setting, settings_from

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

OWN_SUFFIXES = {"nftables": (".nft",), "iptables": (".rules",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetSettings:
    """How far packets go."""

    table: ClassVar[str] = "ruleset"
    hook: Literal["", "ingress", "prerouting", "input", "forward"] = setting(
        "",
        Setting(
            column="ruleset_hook",
            meaning="own ruleset: hook up to which packets go that no rule drops",
            label=Label(words={"": ""}, one=message("up to {n}")),
        ),
    )
    """Empty for the last that it has a base chain on."""
    established: bool = setting(
        False,
        Setting(
            column="ruleset_established",
            meaning="own ruleset: flows were answered before, as connection tracking sees it",
            label=Label(words={True: message("known flows"), False: ""}),
        ),
    )
    """Else each packet is the first of its flow."""
    interfaces: str = setting(
        "",
        Setting(
            column="ruleset_interfaces",
            meaning="own ruleset: what it calls the interfaces that packets come in and leave by",
            label=Label(words={"": ""}),
        ),
    )
    """One name, or two with a comma between; empty where rules name neither."""
    traffic: str = setting(
        "",
        Setting(
            column="ruleset_traffic",
            meaning="own ruleset: file with the frames that are sent",
            label=Label(words={"": ""}),
            suffixes=(".pcap", ".json"),
            names_frames=True,
        ),
    )
    """A capture, or frames with weights; empty for the cell's ordinary frames."""


def settings_of(cell: Cell) -> RulesetSettings:
    """Read what a cell says of its ruleset."""
    return settings_from(RulesetSettings, cell.settings)


def rulesets_get_plain_frames(block: FactorBlock) -> None:
    """Refuse packets that a ruleset of one's own is not sent."""
    if not any(is_own(name) for name in block.program):
        return
    usual = block.generator == "live_frames" and not block.pings_per_second
    packet = block.packet.packet()
    if not usual or replace(packet, protocol="udp", tcp_flags="") != Packet():
        raise bad_input(
            "packet", packet, why="rulesets of one's own get UDP or TCP of the usual generator",
            allowed="live_frames without pings, protocol and tcp_flags", do="leave the rest out",
        )  # fmt: skip
    if block.names_frames and packet != Packet():
        raise bad_input(
            "packet", packet, why="the frames are those of a file",
            allowed='ruleset = { traffic = ["frames.json"] } alone',
            do="put such packets into the file",
        )  # fmt: skip
