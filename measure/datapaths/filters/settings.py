"""Where in the kernel a filter sits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from linerate.cells import Cell
from linerate.settings import Setting, setting, settings_from


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSettings:
    """Where in the kernel a filter sits."""

    table: ClassVar[str] = "filter"
    hook: Literal["ingress", "prerouting", "input"] = setting(
        "prerouting",
        Setting(
            column="filter_hook",
            meaning="netfilter hook of the filter: ingress, prerouting or input",
        ),
    )
    """At the device (nftables only), before everything else in the network stack (raw, priority
    -300), or after routing."""
    flavour: Literal["", "nft", "legacy", "module"] = setting(
        "",
        Setting(column="filter_flavour", meaning="iptables: nft or legacy; netfilter: module"),
    )
    """``module`` is the kernel module of netfilter."""


def settings_of(cell: Cell) -> FilterSettings:
    """Where the filter of a cell sits; XDP and tc have one place only."""
    return settings_from(FilterSettings, cell.settings)
