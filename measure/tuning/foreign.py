"""What others put on interfaces: queueing disciplines, and rules of nftables that name them."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Iterator
from typing import Any

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.system.machine import tool_path
from linerate.measure.tuning.netlink import DUMP, NETFILTER, ROUTE, Netlink, attributes, text

_GET_QDISC, _TC, _KIND = 38, struct.Struct("=BxxxiIII"), 1
_GET_TABLE, _TABLE_NAME = (10 << 8) | 1, 1
_NFT_SECONDS = 10.0
_DEVICE_KEYS = ("iifname", "oifname", "iif", "oif", "ibrname", "obrname")


def foreign_qdiscs() -> dict[int, tuple[str, ...]]:
    """Queueing disciplines that somebody added, by the number of the interface.

    The kernel's own have no handle of their own (0:); whatever tc adds has one.
    """
    found: dict[int, tuple[str, ...]] = {}
    with Netlink.open(ROUTE) as kernel:
        for body in kernel.ask(_GET_QDISC, _TC.pack(0, 0, 0, 0, 0), DUMP):
            _, index, handle, _, _ = _TC.unpack_from(body)
            if handle:
                kind = text(dict(attributes(body[_TC.size :]))[_KIND])
                found[index] = (*found.get(index, ()), kind)
    return found


def nft_tables_naming() -> dict[str, tuple[str, ...]]:
    """Tables of nftables with a chain or rule on an interface, by the interface's name.

    Raises
    ------
    CannotHereError
        There are tables, and nft, which alone reads them, is not installed.
    """
    if not _any_table():
        return {}
    found: dict[str, set[str]] = {}
    for entry in _ruleset():
        kind, fields = next(iter(entry.items()))
        for name in _devices(kind, fields):
            table = fields.get("table") or fields.get("name")
            found.setdefault(name, set()).add(f"{fields['family']} {table}")
    return {name: tuple(sorted(tables)) for name, tables in found.items()}


def _any_table() -> bool:
    with Netlink.open(NETFILTER) as kernel:
        try:
            return bool(kernel.ask(_GET_TABLE, struct.pack("=BBH", 0, 0, 0), DUMP))
        except OSError:
            return False  # a kernel without nftables, or without root, who alone may set anything


def _ruleset() -> list[dict[str, Any]]:
    """Every object of nftables; a rule is machine code to the kernel, which nft reads back."""
    nft = tool_path("nft")
    if nft is None:
        raise CannotHereError(
            "nft: this namespace has tables of nftables, and it is not installed to say whether "
            "they name the interface; sudo apt-get install -y nftables"
        )
    done = subprocess.run(
        [nft, "--json", "--numeric", "list", "ruleset"],
        capture_output=True, text=True, timeout=_NFT_SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        raise LinerateError(f"nft: {done.stderr.strip() or done.returncode}")
    return [entry for entry in json.loads(done.stdout)["nftables"] if "metainfo" not in entry]


def _devices(kind: str, fields: dict[str, Any]) -> Iterator[str]:
    """Names of interfaces that a chain, flow table, set or rule speaks of."""
    hooked = fields.get("dev", [])
    yield from [hooked] if isinstance(hooked, str) else hooked
    if kind in ("set", "map") and "ifname" in json.dumps(fields.get("type", "")):
        yield from _words(fields.get("elem", []))
    for statement in fields.get("expr", []) if kind == "rule" else []:
        match = statement.get("match", {})
        if match.get("left", {}).get("meta", {}).get("key") in _DEVICE_KEYS:
            yield from _words(match["right"])


def _words(value: object) -> Iterator[str]:
    """Every string inside a value of nft's JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, dict):
        yield from _words(list(value.values()))
