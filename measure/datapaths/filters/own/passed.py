"""What no rule drops: counted and dropped behind the last of the user's chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.measure.datapaths.filters.nftables import counted_packets
from linerate.measure.labs.device import DeviceLab
from linerate.measure.labs.veth import VethLab
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.rulesets.follow import PASSED
from linerate.measure.rulesets.ruleset import WAYS, Hook

TABLE, REACHED = "linerate_end", "linerate_reached"
PRIORITY = 1_000_000
"""Behind all that people write, before connection tracking confirms; with a minus before all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The count, held by an nft that owns its table."""

    tool: HeldProcess
    family: str

    def count(self) -> int:
        """Read it."""
        return counted_packets(self.tool, f"{self.family} {TABLE}", "end")


@dataclass(frozen=True, slots=True)
class Left:
    """The count of packets that leave by the device's other interface."""

    counter: Path

    @classmethod
    def by(cls, lab: VethLab) -> Left:
        """Find it."""
        return cls(lab.dut.sys_class_net(lab.out_device) / "statistics/tx_packets")

    def count(self) -> int:
        """Read it."""
        return int(self.counter.read_text())


@contextmanager
def count_passed(lab: DeviceLab, hook: Hook) -> Iterator[Passed]:
    """Put a chain behind all others of a hook, and take it out at the end."""
    family = _family(hook)
    with _open_nft(lab) as tool:
        tool.tell("; ".join((
            f"create table {family} {TABLE} {{ flags owner; }}",
            _chain(lab, TABLE, "end", hook, PRIORITY),
            f"add rule {family} {TABLE} end counter drop",
        )))  # fmt: skip
        yield Passed(tool=tool, family=family)


@contextmanager
def count_reached(lab: DeviceLab, last: Hook) -> Iterator[Callable[[], dict[str, int]]]:
    """Count packets as they come to each hook up to the last, and what came through that.

    Yields
    ------
    Reads the counts, by hook and ``PASSED``.
    """
    places: dict[str, tuple[Hook, int]] = {hook: (hook, -PRIORITY) for hook in WAYS[last]}
    places[PASSED] = (last, PRIORITY - 1)
    families = {name: _family(hook) for name, (hook, _) in places.items()}
    with _open_nft(lab) as tool:
        tool.tell("; ".join((
            *(f"create table {family} {REACHED} {{ flags owner; }}"
              for family in sorted(set(families.values()))),
            *(_chain(lab, REACHED, name, *place) for name, place in places.items()),
            *(f"add rule {family} {REACHED} {name} counter" for name, family in families.items()),
        )))  # fmt: skip
        yield lambda: {name: counted_packets(tool, f"{family} {REACHED}", name)
                       for name, family in families.items()}  # fmt: skip


def _open_nft(lab: DeviceLab) -> AbstractContextManager[HeldProcess]:
    argv = lab.dut.argv(["nft", "--json", "--interactive"])
    return hold_process("nft", argv, greets=False, under_test=True)


def _family(hook: Hook) -> str:
    return "netdev" if hook == "ingress" else "inet"


def _chain(lab: DeviceLab, table: str, name: str, hook: Hook, priority: int) -> str:
    where = f"{hook} device {lab.dut_device}" if hook == "ingress" else hook
    place = f"type filter hook {where} priority {priority};"
    return f"add chain {_family(hook)} {table} {name} {{ {place} }}"
