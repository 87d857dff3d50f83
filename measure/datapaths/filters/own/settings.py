"""What a campaign says of a ruleset of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from linerate.cells import Cell, Packet
from linerate.errors import bad_input
from linerate.measure.datapaths.own import is_own
from linerate.settings import Setting, setting, settings_from

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

OWN_SUFFIXES = {"nftables": (".nft",), "iptables": (".rules",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesetSettings:
    """How far packets go."""

    table: ClassVar[str] = "ruleset"
    hook: Literal["", "ingress", "prerouting", "input"] = setting(
        "",
        Setting(
            column="ruleset_hook",
            meaning="own ruleset: hook up to which packets go that no rule drops",
        ),
    )
    """Empty for the last that it has a base chain on."""


def settings_of(cell: Cell) -> RulesetSettings:
    """Read what a cell says of its ruleset."""
    return settings_from(RulesetSettings, cell.settings)


def rulesets_get_plain_frames(block: FactorBlock) -> None:
    """Refuse packets that a ruleset of one's own is not sent."""
    if not any(is_own(name) for name in block.program):
        return
    usual = block.generator == "live_frames" and not block.pings_per_second
    if not usual or block.packet.packet() != Packet():
        raise bad_input(
            "packet", block.packet.packet(), why="rulesets of one's own get UDP of the usual "
            "generator", allowed="live_frames without pings, packet left out", do="leave it out",
        )  # fmt: skip
