"""What a campaign says of the user's own function on AF_XDP sockets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.datapaths.objects.rules import objects_get_plain_frames
from linerate.measure.datapaths.own import is_own
from linerate.messages import message
from linerate.settings import Label, Setting, setting, settings_from

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

OWN_SUFFIXES = (".so",)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSettings(SocketSettings):
    """Which function runs on which frames, and how its sockets are fed and read."""

    table: ClassVar[str] = "function"
    entry: str = setting(
        "",
        Setting(
            column="function_entry",
            meaning="own function: name of the one that packets come to",
            label=Label(words={"": ""}, one=message("function {n}")),
        ),
    )
    """Empty where the object exports one."""
    traffic: str = setting(
        "",
        Setting(
            column="function_traffic",
            meaning="own function: file with the frames that are sent",
            label=Label(words={"": ""}),
            suffixes=(".pcap", ".json"),
            names_frames=True,
        ),
    )
    """A capture, or frames with weights; empty for the cell's ordinary frames."""


def settings_of(cell: Cell) -> FunctionSettings:
    """Read what a cell says of its function."""
    return settings_from(FunctionSettings, cell.settings)


def functions_get_plain_frames(block: FactorBlock) -> None:
    """Refuse what a function of one's own is not sent, and settings in another's table."""
    objects_get_plain_frames(block)
    if SocketSettings.table in block.given and any(map(is_own, block.program)):
        raise bad_input(
            SocketSettings.table, "a table", why="functions of one's own have these settings in "
            "their own table", allowed="function = { batch_packets = [64] }", do="move them there",
        )  # fmt: skip
