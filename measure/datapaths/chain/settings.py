"""What a chain of service functions is made of (RFC 7665, RFC 8300)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from linerate.cells import Cell
from linerate.messages import message
from linerate.settings import Label, Setting, setting, settings_from

LENGTH_MAX = 32
"""A namespace, two devices and maybe a process each."""
WORK_NS_MAX = 100_000
"""Longest time of a packet in one function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSettings:
    """A chain of service functions with NSH (RFC 7665, RFC 8300)."""

    table: ClassVar[str] = "chain"
    length: int = setting(
        1,
        Setting(
            column="chain_length",
            meaning="service functions between source and destination",
            within=(0, LENGTH_MAX),
            required=True,
        ),
    )
    topology: Literal["direct", "hub"] = setting(
        "direct",
        Setting(
            column="chain_topology",
            meaning="chain: direct, or each hop through one hub",
            label=Label(words={"direct": message("direct"), "hub": message("star through an SFF")}),
        ),
    )
    """Whether functions send to each other, or each hop passes one forwarder (star)."""
    function: Literal["raw_socket", "af_xdp", "tc"] = setting(
        "raw_socket",
        Setting(
            column="chain_function",
            meaning="chain: raw_socket, af_xdp or tc",
            label=Label(words={"raw_socket": "raw socket", "af_xdp": "AF_XDP"}),
        ),
    )
    """What a function is: a process on a raw or AF_XDP socket, or a program of tc."""
    nsh_aware: bool = setting(
        False,
        Setting(
            column="nsh_aware",
            meaning="chain: the functions read NSH themselves",
            label=Label(words={True: message("NSH-aware"), False: message("NSH-unaware")}),
        ),
    )
    """Then nothing is taken off and put back."""
    metadata_type: Literal[1, 2] = setting(
        1,
        Setting(
            column="metadata_type",
            meaning="chain: NSH MD type, 1 or 2",
            label=Label(one=message("MD type {n}")),
        ),
    )
    """Fixed 16 bytes of context, or of variable length."""
    work_ns: int = setting(
        0,
        Setting(
            column="chain_work_ns",
            meaning="chain: what each function takes itself with a packet",
            unit="ns",
            within=(0, WORK_NS_MAX),
            label=Label(one=message("{n} ns of work a function")),
        ),
    )
    """It reads the clock until so much has passed: a stand-in for what functions do."""


def settings_of(cell: Cell) -> ChainSettings:
    """Read a cell's chain."""
    return settings_from(ChainSettings, cell.settings)
