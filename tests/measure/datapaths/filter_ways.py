"""Every way that a filter can be put on the device under test."""

from collections.abc import Mapping
from typing import Literal

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
