"""What a campaign says of the user's own BPF object, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from linerate.cells import Cell
from linerate.messages import message
from linerate.settings import Label, Setting, setting, settings_from

OWN_SUFFIXES = (".bpf.o",)
_LABEL = Label(words={"": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSettings:
    """Which program of the user's own object runs, what it is given, and what its maps hold."""

    table: ClassVar[str] = "object"
    entry: str = setting(
        "",
        Setting(
            column="object_entry",
            meaning="own object: name of the program that packets come to",
            label=Label(words={"": ""}, one=message("program {n}")),
        ),
    )
    """Empty where the object has one."""
    traffic: str = setting(
        "",
        Setting(
            column="object_traffic",
            meaning="own object: file with the frames that are sent",
            label=_LABEL,
            suffixes=(".pcap", ".json"),
            names_frames=True,
        ),
    )
    """A capture, or frames with weights; empty for the cell's ordinary frames."""
    maps: str = setting(
        "",
        Setting(
            column="object_maps",
            meaning="own object: file with its variables and entries of maps",
            label=_LABEL,
            suffixes=(".toml",),
        ),
    )
    hook: Literal["", "prerouting", "input"] = setting(
        "",
        Setting(
            column="object_hook",
            meaning="own object: netfilter hook of its program",
            label=Label(words={"": ""}, one=message("at {n}")),
        ),
    )
    """Empty for prerouting there, and on all other datapaths."""


def settings_of(cell: Cell) -> ObjectSettings:
    """Read what a cell says of its object."""
    return settings_from(ObjectSettings, cell.settings)
