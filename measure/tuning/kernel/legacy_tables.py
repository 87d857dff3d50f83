"""Tables of iptables-legacy with a rule for an interface; nftables knows nothing of these."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.system.machine import tool_path

_TOOLS = {"ip": "iptables-legacy-save", "ip6": "ip6tables-legacy-save"}
_DEVICE_OPTIONS = ("-i", "-o", "--physdev-in", "--physdev-out")
_SECONDS = 10.0


def legacy_tables_naming() -> dict[str, tuple[str, ...]]:
    """Tables of iptables-legacy with a rule on an interface, by the interface's name.

    A name that ends with ``*`` is a pattern.

    Raises
    ------
    CannotHereError
        There are tables, and the tool, which alone reads them, is not installed.
    """
    found: dict[str, set[str]] = {}
    for family in _TOOLS:
        # Without a look at these names the tool would make the tables that it lists.
        for table in _tables(family):
            for name in _names(_saved(family, table)):
                found.setdefault(name, set()).add(f"{family} {table}")
    return {name: tuple(sorted(tables)) for name, tables in found.items()}


def _tables(family: str) -> list[str]:
    try:
        return Path(f"/proc/thread-self/net/{family}_tables_names").read_text().split()
    except (FileNotFoundError, PermissionError):
        return []  # no such kernel, or no root, who alone may change anything


def _saved(family: str, table: str) -> str:
    tool = tool_path(_TOOLS[family])
    if tool is None:
        raise CannotHereError(
            f"{_TOOLS[family]}: this namespace has tables of iptables-legacy, and it is not "
            "installed to say whether they name the interface; sudo apt-get install -y iptables"
        )
    done = subprocess.run(
        [tool, "--table", table], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode:
        raise LinerateError(f"{_TOOLS[family]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def _names(saved: str) -> Iterator[str]:
    """Name the interfaces of rules as iptables-save writes them; ``eth+`` is ``eth*``."""
    for line in saved.splitlines():
        words = shlex.split(line) if line.startswith("-A ") else []
        for option, value in pairwise(words):
            if option in _DEVICE_OPTIONS:
                yield value[:-1] + "*" if value.endswith("+") else value
