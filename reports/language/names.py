"""Names of paths and programs, as a reader sees them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from linerate.measure.datapaths.registry import datapaths
from linerate.reports.language.words import Words, message

NAME_LENGTH_MAX = 40
"""A longer name of a program is cut where it is drawn; tables keep it whole."""


def datapath_name(datapath: str) -> str:
    """Name a datapath for a reader."""
    known = datapaths().get(datapath)
    return known.label if known and known.label else printable(datapath)


def datapath_rank(datapath: str) -> tuple[float, str]:
    """Where a datapath stands in lists: those that no lab runs behind the others, by name.

    >>> sorted(["other", "tc", "xdp_native"], key=datapath_rank)
    ['xdp_native', 'tc', 'other']
    """
    known = datapaths().get(datapath)
    return (known.place if known else math.inf, datapath)


def path_name(datapath: str, program: str, *, alone: bool = True) -> str:
    """Name a path for a reader; with its program unless it is the only one."""
    name = datapath_name(datapath)
    return name if alone else f"{name}, {printable(program)}"


def path_names(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Names of several paths: programs are named only where a datapath runs more than one."""
    datapaths = [datapath for datapath, _ in dict.fromkeys(pairs)]
    return {
        (datapath, program): path_name(datapath, program, alone=datapaths.count(datapath) == 1)
        for datapath, program in dict.fromkeys(pairs)
    }


FILTERS = {
    "drop_all": message("drops everything"), "drop_tcp_subnet": message("drops TCP to the subnet"),
    "drop_udp_subnet": message("drops UDP to the subnet"),
    "drop_tcp_subnet_flags": message("drops TCP with SYN and RST"),
    "drop_tcp_subnet_payload": message("drops TCP by its payload"),
}  # fmt: skip


def filter_name(program: str, words: Words) -> str:
    """Say what a filter of the studies drops; another keeps its own name."""
    return words(FILTERS[program]) if program in FILTERS else printable(program)


def natural(name: str) -> list[tuple[int, str]]:
    """Order names as a reader does: by the numbers in them.

    >>> sorted(["rules_100", "rules_20", "rules_3"], key=natural)
    ['rules_3', 'rules_20', 'rules_100']
    """
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def printable(name: str) -> str:
    """Cut a long name, and show what a font cannot as a question mark.

    >>> printable("map_" + chr(7) + "lookup")
    'map_?lookup'
    """
    shown = "".join(sign if sign.isprintable() and ord(sign) < 0x250 else "?" for sign in name)
    return shown if len(shown) <= NAME_LENGTH_MAX else shown[: NAME_LENGTH_MAX - 1] + "…"
