"""The text of a ruleset: read, bounded, and never handed to a tool that would read other files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from linerate.errors import BadInputError, bad_input
from linerate.measure.objects.input_file import read_bytes

SUFFIXES = {".nft": "nftables", ".rules": "iptables"}
"""Of each kind of file the datapath that has such rules."""
FIELD = "ruleset"
BYTES_MAX = 8 << 20
LINES_MAX = 65_536
SET_LINES_MAX = 262_144
"""Of sets of ipset, beside the lines of rules."""
RULES_MAX = 20_000
# As nft's scanner takes it: a comment ends with its line, a string with the next quote.
_HIDDEN = re.compile(r'#[^\n]*|"[^"]*"')
_INCLUDE = re.compile(r"\binclude\b", re.IGNORECASE)
_UNPRINTED = re.compile(r"[^\t\n\x20-\x7e]")
_SAVED_LINE = re.compile(
    r"#.*|\*(raw|mangle|nat|filter|security)|:\S+ \S+.*|(-A|-N|\[\d+:\d+\] -A) .*|COMMIT|\s*"
)
_SET_LINE = re.compile(r"(create|add) \S+ \S+.*|#.*|\s*")
_VALUE = r"(\{[^{}]*\}|\"[^\"]*\"|\$?[\w.-]+)"
_DEVICE = re.compile(rf"\bdevices?\s*=?\s*{_VALUE}")
_INDEXED = re.compile(rf"(?<!\. )\b(?:[io]if(?:\s+vmap)?|fwd\s+to)\s+(?:[!=]=\s*)?{_VALUE}")
_DEFINED = re.compile(rf"\bdefine\s+(\w+)\s*=\s*{_VALUE}")
_WORD = re.compile(r"\$?[\w.-]+")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,15}")
DEVICES_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Interfaces:
    """What rules call the interfaces by which packets come in and leave; empty: they name neither.

    Packets leave at ``forward`` alone.
    """

    comes_by: str = ""
    leaves_by: str = ""


UNNAMED = Interfaces()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Text that a tool may be given."""

    path: Path
    datapath: Literal["nftables", "iptables"]
    text: str
    set_lines: int = 0
    """Lines at its beginning that are of `ipset save`."""
    interfaces: Interfaces = UNNAMED

    @property
    def sets(self) -> str:
        """Its sets of ipset; empty where it has none."""
        return "".join(self.text.splitlines(keepends=True)[: self.set_lines])

    @property
    def rules(self) -> str:
        """Its rules, on the lines that they have in it."""
        return "\n" * self.set_lines + "".join(
            self.text.splitlines(keepends=True)[self.set_lines :]
        )

    @property
    def devices(self) -> tuple[str, ...]:
        """Interfaces that its ingress chains name.

        >>> text = 'chain a { type filter hook ingress devices = { eth0, "lan1" } priority 0; }'
        >>> Source(path=Path("a.nft"), datapath="nftables", text=text).devices
        ('eth0', 'lan1')
        """
        return self._named(_DEVICE) if "ingress" in self.text else ()

    @property
    def called(self) -> Interfaces:
        """What the rules call the interfaces of their packets: as asked, else by their ingress."""
        named = (name for name in self.devices if name != "lo")
        comes_by = self.interfaces.comes_by or next(named, "")
        return replace(self.interfaces, comes_by=comes_by)

    @property
    def needed(self) -> tuple[str, ...]:
        r"""Interfaces that must be there when nft reads the rules: these, and what has an index.

        >>> text = "define WAN = eth0\nadd rule ip a b iif $WAN oif != { lan1, lan2 } accept"
        >>> Source(path=Path("a.nft"), datapath="nftables", text=text).needed
        ('eth0', 'lan1', 'lan2')
        """
        return tuple(dict.fromkeys((*self.devices, *self._named(_INDEXED))))[:DEVICES_MAX]

    def _named(self, words: re.Pattern[str]) -> tuple[str, ...]:
        if self.datapath != "nftables":
            return ()
        defined = dict(_DEFINED.findall(self.text))
        found = dict[str, None]()
        for value in words.findall(self.text):
            found |= dict.fromkeys(_names(value, defined, set()))
        return tuple(found)[:DEVICES_MAX]


def _names(value: str, defined: dict[str, str], seen: set[str]) -> Iterator[str]:
    """Name the interfaces of a value; each definition in it is read once."""
    for word in _WORD.findall(value):
        if word[0] != "$":
            yield from _NAME.findall(word)
        elif word[1:] in defined and word not in seen:
            seen.add(word)
            yield from _names(defined[word[1:]], defined, seen)


def parse_interfaces(text: str) -> Interfaces:
    """Read the name of the interface that packets come in by, and of that they leave by.

    >>> parse_interfaces("lan0, wan0")
    Interfaces(comes_by='lan0', leaves_by='wan0')

    Raises
    ------
    BadInputError
        These are no names, or more than two.
    """
    names = [name.strip() for name in text.split(",")] if text else []
    if len(names) > 2 or any(name and not _NAME.fullmatch(name) for name in names):
        raise bad_input("interfaces", text, why="it is not one name, or two with a comma between",
                        allowed="up to 15 letters, digits and . _ - each",
                        do="name the one that packets come in by, eth0 or eth0,eth1")  # fmt: skip
    return Interfaces(**dict(zip(("comes_by", "leaves_by"), names, strict=False)))


def is_ruleset(path: str | Path) -> bool:
    """Whether a file is a ruleset, by its suffix.

    >>> is_ruleset("my/rules.nft"), is_ruleset("rules.v4.rules"), is_ruleset("map_lookup")
    (True, True, False)
    """
    return str(path).endswith(tuple(SUFFIXES))


def read_source(path: Path, interfaces: Interfaces = UNNAMED) -> Source:
    """Read a ruleset's text and refuse what no tool shall be given.

    Parameters
    ----------
    path
        Of the file.
    interfaces
        What its rules call those of its packets.

    Raises
    ------
    BadInputError
        Not readable, too long, no ASCII text, empty, it includes other files, or it is not
        an output of iptables-save, or of ipset save and it; with the line.
    """
    data = read_bytes(path, FIELD, BYTES_MAX)
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _refused(f"{path}:{line}", "it is not UTF-8", "text", "save it as UTF-8") from None
    return replace(parse_source(path, text), interfaces=interfaces)


def parse_source(path: Path, text: str) -> Source:
    """Check a ruleset's text.

    Raises
    ------
    BadInputError
        As `read_source`.
    """
    set_lines = _set_lines(text) if SUFFIXES[path.suffix] == "iptables" else 0
    lines = text.count("\n") + 1 - set_lines
    if lines > LINES_MAX or set_lines > SET_LINES_MAX:
        raise _refused(
            path,
            f"it has {lines} lines of rules and {set_lines} of sets",
            f"up to {LINES_MAX}, and {SET_LINES_MAX} of sets",
            "ask about a part",
        )
    if not _blanked(text, '#"').strip():
        raise _refused(path, "it holds no rule", "a table with a base chain", "fill it")
    # Names and matches are ASCII; a comment may be anything.
    if found := _UNPRINTED.search(_blanked(text, "#")):
        raise _refused(
            _line(path, text, found), f"{found[0]!a} is not a character of a rule",
            "printable ASCII, tab and line feed, outside of comments", "remove it",
        )  # fmt: skip
    if SUFFIXES[path.suffix] == "iptables":
        _check_saved(path, text, set_lines)
        return Source(path=path, datapath="iptables", text=text, set_lines=set_lines)
    if found := _INCLUDE.search(_blanked(text, '#"')):
        raise _refused(
            _line(path, text, found), "it includes another file",
            "one file that holds all of it", "put the other file's text in its place",
        )  # fmt: skip
    return Source(path=path, datapath="nftables", text=text)


def _set_lines(text: str) -> int:
    """Count the lines at the beginning that are of `ipset save`."""
    lines = text.split("\n")
    others = (place for place, line in enumerate(lines) if not _SET_LINE.fullmatch(line))
    begins = next(others, len(lines))
    return begins if any(line.startswith("create ") for line in lines[:begins]) else 0


def _check_saved(path: Path, text: str, set_lines: int) -> None:
    for number, line in enumerate(text.split("\n")[set_lines:], set_lines + 1):
        if not _SAVED_LINE.fullmatch(line):
            raise _refused(
                f"{path}:{number}", f"no line of iptables-save: {line.strip()[:80]!r}",
                "*table, :CHAIN POLICY, -A CHAIN ..., COMMIT; before them what ipset save writes",
                "write it by iptables-save, its sets first: (ipset save; iptables-save) > FILE",
            )  # fmt: skip


def _blanked(text: str, sorts: str) -> str:
    """Blank comments, or strings too, without moving anything."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0]) if found[0][0] in sorts else found[0]

    return _HIDDEN.sub(blank, text)


def _line(path: Path, text: str, found: re.Match[str]) -> str:
    return f"{path}:{text.count(chr(10), 0, found.start()) + 1}"


def _refused(where: object, why: str, allowed: str, do: str) -> BadInputError:
    return bad_input(FIELD, where, why=why, allowed=allowed, do=do)
