"""What no rule drops: counted and dropped behind the last of the user's chains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from linerate.measure.datapaths.filters.nftables import counted_packets
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.rulesets.ruleset import Hook

TABLE = "linerate_end"
PRIORITY = 1_000_000
"""Behind all that people write, before connection tracking confirms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The count, held by an nft that owns its table."""

    tool: HeldProcess
    family: str

    def count(self) -> int:
        """Read it."""
        return counted_packets(self.tool, f"{self.family} {TABLE}", "end")


@contextmanager
def count_passed(lab: DeviceLab, hook: Hook) -> Iterator[Passed]:
    """Put a chain behind all others of a hook, and take it out at the end."""
    family = "netdev" if hook == "ingress" else "inet"
    where = f"{hook} device {lab.dut_device}" if hook == "ingress" else hook
    with hold_process(
        "nft", lab.dut.argv(["nft", "--json", "--interactive"]), greets=False, under_test=True
    ) as tool:
        tool.tell("; ".join((
            f"create table {family} {TABLE} {{ flags owner; }}",
            f"add chain {family} {TABLE} end {{ type filter hook {where} priority {PRIORITY}; }}",
            f"add rule {family} {TABLE} end counter drop",
        )))  # fmt: skip
        yield Passed(tool=tool, family=family)
