"""What a campaign may not ask of filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linerate.errors import bad_input
from linerate.measure.datapaths.filters.settings import FilterSettings
from linerate.measure.datapaths.own import is_own

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

FLAVOURS = {"iptables": ("nft", "legacy"), "netfilter": ("", "module"), "nftables": ("",)}
"""Of each datapath whose filters sit on a hook of netfilter."""


def places_are_there(block: FactorBlock) -> None:
    """Refuse a hook or a flavour of filter that a datapath does not have."""
    if all(is_own(name) for name in block.program):
        return
    for datapath in [name for name in block.datapath if name in FLAVOURS]:
        for settings in block.settings(datapath):
            if isinstance(settings, FilterSettings):
                _check_place(datapath, settings)


def _check_place(datapath: str, settings: FilterSettings) -> None:
    if settings.hook == "ingress" and datapath != "nftables":
        raise bad_input(
            "hook", "ingress", why=f"{datapath} does not have it",
            allowed="prerouting, input", do="give nftables a [[cells]] block of its own",
        )  # fmt: skip
    if settings.flavour not in FLAVOURS[datapath]:
        raise bad_input(
            "flavour", repr(settings.flavour), why=f"{datapath} has no such flavour",
            allowed=", ".join(map(repr, FLAVOURS[datapath])),
            do="give the datapath a [[cells]] block of its own",
        )  # fmt: skip
