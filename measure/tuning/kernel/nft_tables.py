"""Tables of nftables that refer to an interface.

Chains and flow tables say by netlink what they hang on. A rule is machine code to the kernel; nft
reads it back, as JSON.
"""

from __future__ import annotations

import errno
import json
import struct
import subprocess
from collections.abc import Iterator
from typing import Any

from linerate.errors import CannotHereError, LinerateError
from linerate.measure.system.machine import tool_path
from linerate.measure.tuning.kernel.netlink import DUMP, NETFILTER, Netlink, attributes, text

_SUBSYSTEM = 10 << 8
_GET_TABLE, _GET_CHAIN, _GET_FLOW_TABLE = _SUBSYSTEM | 1, _SUBSYSTEM | 4, _SUBSYSTEM | 23
_TABLE = 1
_HOOKS = {_GET_CHAIN: (4, 4), _GET_FLOW_TABLE: (3, 3)}
"""Attribute of the hook, and within it that of its list of interfaces."""
_CHAIN_DEVICE, _DEVICE_PREFIX = 3, 2
_FAMILIES = {1: "inet", 2: "ip", 3: "arp", 5: "netdev", 7: "bridge", 10: "ip6"}
_NFT_SECONDS = 10.0
_NONE_TO_SEE = (errno.EPERM, errno.EINVAL, errno.EOPNOTSUPP, errno.EPROTONOSUPPORT)
"""No root, who alone may change anything; or a kernel without nftables or flow tables."""
_DEVICE_KEYS = ("iifname", "oifname", "iif", "oif", "ibrname", "obrname")


def nft_tables_naming() -> dict[str, tuple[str, ...]]:
    """Tables of nftables with a chain or rule on an interface, by the interface's name.

    Raises
    ------
    CannotHereError
        There are tables, and nft, which alone reads them, is not installed.
    """
    if not list(_ask(_GET_TABLE)):
        return {}
    found: dict[str, set[str]] = {}
    for name, table in _hooked():
        found.setdefault(name, set()).add(table)
    for entry in _ruleset():
        kind, fields = next(iter(entry.items()))
        for name in _devices(kind, fields):
            table = fields.get("table") or fields.get("name")
            found.setdefault(name, set()).add(f"{fields['family']} {table}")
    return {name: tuple(sorted(tables)) for name, tables in found.items()}


def _hooked() -> Iterator[tuple[str, str]]:
    """Name each interface that a chain or flow table hangs on, and its table."""
    for message, (hook, devices) in _HOOKS.items():
        for family, has in _ask(message):
            table = f"{_FAMILIES.get(family, family)} {text(has[_TABLE])}"
            place = dict(attributes(has.get(hook, b"")))
            if message == _GET_CHAIN and _CHAIN_DEVICE in place:
                yield text(place[_CHAIN_DEVICE]), table
            for kind, name in attributes(place.get(devices, b"")):
                yield text(name) + "*" * (kind == _DEVICE_PREFIX), table


def _ask(message: int) -> Iterator[tuple[int, dict[int, bytes]]]:
    """List the objects of a kind: family and attributes of each."""
    try:
        with Netlink.open(NETFILTER) as kernel:
            answers = kernel.ask(message, struct.pack("=BBH", 0, 0, 0), DUMP)
    except OSError as error:
        if error.errno in _NONE_TO_SEE:
            return
        raise
    for body in answers:
        yield body[0], dict(attributes(body[4:]))


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
    """Names of interfaces that a set or rule refers to."""
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
