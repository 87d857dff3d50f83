"""A ruleset of the user's own, loaded into a lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linerate.measure.datapaths.filters.own.passed import Passed, count_passed
from linerate.measure.labs.veth import VethLab
from linerate.measure.rulesets.ruleset import Hook
from linerate.measure.rulesets.source import Source

LOADERS = {
    "nftables": ("nft", "--file", "-"),
    "iptables": ("env", "XTABLES_LOCKFILE=/dev/null", "iptables-nft-restore"),
}


def named(lab: VethLab, source: Source) -> VethLab:
    """Call the device's interfaces what the rules call them."""
    called = source.called
    return replace(
        lab, dut_device=_renamed(lab, lab.dut_device, called.comes_by),
        out_device=_renamed(lab, lab.out_device, called.leaves_by),
    )  # fmt: skip


def _renamed(lab: VethLab, device: str, name: str) -> str:
    if not device or name in ("", device):
        return device
    lab.dut.run(["ip", "link", "set", "dev", device, "name", name])
    return name


@contextmanager
def rules_in(lab: VethLab, source: Source, last: Hook) -> Iterator[tuple[VethLab, Passed | None]]:
    """Load the rules; what they forward leaves, all else that passes is counted and dropped."""
    for other in source.needed:
        if other not in ("lo", lab.dut_device, lab.out_device):
            lab.dut.run(["ip", "link", "add", "name", other, "type", "veth"])
    if source.sets:
        lab.dut.run(["ipset", "restore"], text_in=source.sets)
    lab.dut.run(LOADERS[source.datapath], text_in=source.rules)
    if last == "forward":
        yield lab, None
        return
    with count_passed(lab, last) as passed:
        yield lab, passed
