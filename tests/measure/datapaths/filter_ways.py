"""Every way that a filter can be put on the device under test."""

from collections.abc import Mapping
from typing import Literal

import pytest

from linerate.measure.datapaths.filters.settings import FilterSettings

HOOKS: tuple[Literal["prerouting", "input"], ...] = ("prerouting", "input")
HOOKED: tuple[tuple[str, Literal["", "nft", "legacy"]], ...] = (
    ("netfilter", ""), ("nftables", ""), ("iptables", "nft"), ("iptables", "legacy"),
)  # fmt: skip
WAYS: Mapping[str, tuple[str, FilterSettings | None]] = (
    {name: (name, None) for name in ("xdp_native", "xdp_generic", "tc")}
    | {
        f"{datapath} {flavour} {hook}": (datapath, FilterSettings(hook=hook, flavour=flavour))
        for hook in HOOKS
        for datapath, flavour in HOOKED
    }
    | {"nftables  ingress": ("nftables", FilterSettings(hook="ingress"))}
)


def one_of_each_datapath():
    """Yield ways to a filter; further hooks and flavours of a datapath are deep."""
    shown = set()
    for way, (datapath, _) in WAYS.items():
        yield pytest.param(way, marks=pytest.mark.deep if datapath in shown else [])
        shown.add(datapath)
