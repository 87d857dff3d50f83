"""A chain of service functions as its user writes it: names, where they run, what they take."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from linerate.box import first_problem, parse_toml
from linerate.errors import bad_input
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.objects.input_file import read_bytes

SUFFIX = ".chain.toml"
OBJECT, LIBRARY = ".o", ".so"
BYTES_MAX = 1 << 16
FUNCTIONS_MAX = 254
"""Service indices of a path (RFC 8300, section 2.3)."""
_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True, config=_CONFIG)
class ChainFunction:
    """One service function."""

    name: str
    ns_per_packet: float = 0.0
    """What it does itself with a packet, beside the stages of NSH around it."""
    object: str = ""
    """Instead, an object that does it, timed by test runs; where the path begins is the file's
    folder."""
    entry: str = ""
    """Its program or function, where it has several."""
    maps: str = ""
    """File of variables and entries of its maps."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_CONFIG)
class ChainFile:
    """A chain."""

    functions: list[ChainFunction]
    """In the order of a packet."""
    function: Literal["tc", "raw_socket", "af_xdp"] = "tc"
    """What each runs on."""
    topology: Literal["direct", "hub"] = "direct"
    nsh_aware: bool = False
    metadata_type: Literal[1, 2] = 1

    @property
    def works_ns(self) -> tuple[float, ...]:
        """What each function takes itself, ns a packet."""
        return tuple(each.ns_per_packet for each in self.functions)

    @property
    def settings(self) -> ChainSettings:
        """What the lab builds of it."""
        return ChainSettings(
            length=len(self.functions), topology=self.topology, function=self.function,
            nsh_aware=self.nsh_aware, metadata_type=self.metadata_type,
        )  # fmt: skip

    def cell(self, frame_bytes: float) -> dict[str, object]:
        """Columns of a cell of it."""
        return {
            "datapath": "chain", "program": "wire", "chain_length": len(self.functions),
            "chain_function": self.function, "chain_topology": self.topology,
            "nsh_aware": self.nsh_aware, "metadata_type": self.metadata_type,
            "frame_bytes": float(frame_bytes),
        }  # fmt: skip


_FILE = TypeAdapter(ChainFile)


def read_chain(path: Path) -> ChainFile:
    """Read a chain.

    Raises
    ------
    BadInputError
        No such file, no TOML, an unknown key, no function, or times below 0.
    """
    try:
        text = read_bytes(path, "chain", BYTES_MAX).decode()
    except UnicodeDecodeError as error:
        raise bad_input("chain", path, why="it is not UTF-8", allowed="text",
                        do="save it as UTF-8") from error  # fmt: skip
    try:
        chain = _FILE.validate_python(parse_toml(text, str(path)))
    except ValidationError as error:
        raise first_problem(error, str(path)) from None
    if not 1 <= len(chain.functions) <= FUNCTIONS_MAX:
        raise bad_input(f"{path}: functions", len(chain.functions), why="a chain has some",
                        allowed=f"1..{FUNCTIONS_MAX}", do="list them as [[functions]]")  # fmt: skip
    for each in chain.functions:
        _check_object(each, path)
        if not 0.0 <= each.ns_per_packet < float("inf"):
            raise bad_input(f"{path}: {each.name}: ns_per_packet", each.ns_per_packet,
                            why="it is a time", allowed="0 or more", do="correct it")  # fmt: skip
    return chain


def _check_object(function: ChainFunction, path: Path) -> None:
    where = f"{path}: {function.name}"
    if function.object and not function.object.endswith((OBJECT, LIBRARY)):
        raise bad_input(f"{where}: object", function.object, why="it is no object",
                        allowed=f"a BPF object ({OBJECT}), or a function on AF_XDP ({LIBRARY})",
                        do="correct it")  # fmt: skip
    if function.object and function.ns_per_packet:
        raise bad_input(f"{where}: ns_per_packet", function.ns_per_packet, why="its object is "
                        "timed", allowed="one of object and ns_per_packet",
                        do="leave one out")  # fmt: skip
    if function.maps and not function.object.endswith(OBJECT):
        raise bad_input(f"{where}: maps", function.maps, why="only a BPF object has some",
                        allowed=f"beside object = \"NAME{OBJECT}\"", do="leave it out")  # fmt: skip
    if function.entry and not function.object:
        raise bad_input(f"{where}: entry", function.entry, why="there is no object",
                        allowed="beside object", do="leave it out")  # fmt: skip
