"""Filters as iptables rules, nft or legacy back end."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager

from linerate.cells import Cell
from linerate.errors import LinerateError
from linerate.measure.datapaths.filters.filter import SUBNET, DropCount, Filter
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes.held import HeldProcess, hold_process

TOOLS = {"nft": "iptables-nft", "legacy": "iptables-legacy"}
"""Program of each flavour."""
CHAINS = {"prerouting": ("raw", "PREROUTING"), "input": ("filter", "INPUT")}
"""Table and chain of each hook."""
# A later fragment has no header of layer 4: "! -f" leaves it alone.
_TO_SUBNET = ("!", "-f", "-d", SUBNET)
# Past the IP header, past the TCP header, second byte. u32 takes four bytes at a time, so a
# payload of fewer never matches.
_MARK = f"0>>22&0x3C@12>>26&0x3C@0>>16&0xFF={ord('X'):#x}"
MATCHES: dict[str, tuple[str, ...]] = {
    "drop_all": (),
    "drop_tcp_subnet": ("-p", "tcp", *_TO_SUBNET),
    "drop_udp_subnet": ("-p", "udp", *_TO_SUBNET),
    "drop_tcp_subnet_flags": (
        "-p", "tcp", *_TO_SUBNET, "-m", "tcp", "--tcp-flags", "SYN,RST", "SYN,RST",
    ),
    "drop_tcp_subnet_payload": ("-p", "tcp", *_TO_SUBNET, "-m", "u32", "--u32", _MARK),
}  # fmt: skip
"""What each program matches."""


FIRST_RULE = "1"
_LIST = ("--numeric", "--verbose", "--exact", "--list")
"""One line with a rule's number behind it: packets come first."""
# One shell throughout: to enter the namespace anew would take as long as the tool itself.
_ON_EACH_LINE = 'while read -r _; do "$@" || exit; done'


CHAIN = "linerate"
"""Where others have rules, the filter is in a chain of this name."""
_HOLD_CHAIN = (
    "{0} || exit; trap '{4}; {5}; {6}' EXIT; trap '' HUP INT TERM; {1} && {2} && echo ready "
    "&& while read -r _; do {3} || exit; done"
)


def rule(program: str, hook: str) -> tuple[str, ...]:
    """Rule of a program, as arguments after ``--append``.

    >>> rule("drop_all", "input")
    ('INPUT', '-j', 'DROP')
    """
    return (CHAINS[hook][1], *MATCHES[program], "-j", "DROP")


@contextmanager
def append_iptables_filter(lab: DeviceLab, cell: Cell) -> Iterator[Filter]:
    """Append a filter's rule to a chain of the device's namespace, delete it at the end.

    Raises
    ------
    LinerateError
        The chain has a rule already, or the kernel lacks something.
    """
    if lab.is_shared:
        with _own_chain(lab, cell) as under_test:
            yield under_test
        return
    settings = settings_of(cell)
    tool, chain = TOOLS[settings.flavour], CHAINS[settings.hook]
    appended = rule(cell.program, settings.hook)
    _refuse_foreign(lab, tool, *chain)
    lab.dut.run(_argv(tool, chain[0], "--append", *appended))
    counting = _argv(tool, chain[0], *_LIST, chain[1], FIRST_RULE)
    try:
        on_each_line = lab.dut.argv(["sh", "-c", _ON_EACH_LINE, tool, *counting])
        with hold_process(tool, on_each_line, greets=False, under_test=True) as shell:
            yield Filter(
                program_hash=hashlib.sha256(" ".join((tool, *appended)).encode()).hexdigest()[:16],
                count=lambda: _count(shell),
                processes=(shell,),
            )
    finally:
        lab.dut.run(_argv(tool, chain[0], "--delete", *appended))


@contextmanager
def _own_chain(lab: DeviceLab, cell: Cell) -> Iterator[Filter]:
    """Lead the device's packets to a chain of their own, before every rule of others.

    A shell holds it that takes it out when its standard input closes: after SIGKILL of this
    process, too. After SIGKILL of the shell this process does.
    """
    settings = settings_of(cell)
    tool, (table, hook) = TOOLS[settings.flavour], CHAINS[settings.hook]
    matched = rule(cell.program, settings.hook)[1:]
    jump = (hook, "--in-interface", lab.dut_device, "--jump", CHAIN)
    commands = (
        ("--new-chain", CHAIN), ("--append", CHAIN, *matched), ("--insert", *jump),
        (*_LIST, CHAIN, FIRST_RULE),
        ("--delete", *jump), ("--flush", CHAIN), ("--delete-chain", CHAIN),
    )  # fmt: skip
    # Others change their rules meanwhile, so that the tool's own lock is kept.
    words = [shlex.join((tool, "--wait", "--table", table, *command)) for command in commands]
    holding = ["sh", "-c", _HOLD_CHAIN.format(*words)]
    hashed = hashlib.sha256(" ".join((tool, CHAIN, *matched)).encode()).hexdigest()[:16]
    with hold_process(tool, lab.dut.argv(holding), under_test=True) as shell:
        try:
            yield Filter(program_hash=hashed, count=lambda: _count(shell), processes=(shell,))
        finally:
            if shell.was_killed:
                lab.dut.run(["sh", "-c", "; ".join(words[-3:])])


def _argv(tool: str, table: str, *argv: str) -> list[str]:
    # The lock of iptables-legacy is a file that would stay; the namespace is ours alone.
    lock = f"XTABLES_LOCKFILE={os.devnull}"
    return ["env", lock, tool, "--wait", "--table", table, *argv]


def _refuse_foreign(lab: DeviceLab, tool: str, table: str, chain: str) -> None:
    found = lab.dut.run(_argv(tool, table, "--list-rules", chain)).splitlines()[1:]
    if found:
        raise LinerateError(
            f"{tool}: chain {chain} of table {table} is not empty: {found[0]}; "
            "a rule that is there already is neither removed nor measured; remove it"
        )


def _count(shell: HeldProcess) -> DropCount:
    answer = shell.ask("")
    at_ns = time.monotonic_ns()
    try:
        return DropCount(at_ns=at_ns, packets=int(answer.split()[0]))
    except (IndexError, ValueError) as error:
        raise shell.error(f"its answer cannot be read: {answer[:200]!r}") from error
