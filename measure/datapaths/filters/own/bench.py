"""The bench of a ruleset of the user's own, in the veth lab.

Every packet that reached the rules is forwarded, whatever they say: that is their service. What no
rule drops is dropped behind the last of them, so that nothing else of the host is measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.datapath import LabBench
from linerate.measure.datapaths.filters.lab import open_filter_lab, open_forwarding_lab
from linerate.measure.datapaths.filters.own.load import frames_of, lay_out_flows
from linerate.measure.datapaths.filters.own.netlink import listening
from linerate.measure.datapaths.filters.own.passed import Passed, count_passed
from linerate.measure.datapaths.filters.own.settings import settings_of
from linerate.measure.datapaths.filters.own.trial import Dut
from linerate.measure.datapaths.own import is_own
from linerate.measure.labs.veth import VethLab, check_cores
from linerate.measure.processes import built
from linerate.measure.rulesets.follow import follow
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.ruleset import Hook, Ruleset
from linerate.measure.rulesets.source import Source, read_source
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.device import started
from linerate.records import Trial

LOADERS = {
    "nftables": ("nft", "--file", "-"),
    "iptables": ("env", "XTABLES_LOCKFILE=/dev/null", "iptables-nft-restore"),
}


def check_ruleset(cell: Cell, path: Path) -> None:
    """Refuse, before anything is measured, rules that cannot be loaded here.

    Raises
    ------
    BadInputError
        The rules are wrong, or there are no cores for the queues.
    CannotHereError
        A runner is not built, or a tool is missing.
    """
    check_cores(cell.mode, cell.queues)
    built.runner("traffic")
    source = read_source(path)
    ruleset = load_source(source)
    _check_flows(cell, ruleset)
    if source.devices and cell.mode == "split":
        raise bad_input(
            "mode", cell.mode, why="rules name their interface, threads are found by names",
            allowed="serial", do="measure it in serial mode",
        )  # fmt: skip


@contextmanager
def open_ruleset_bench(cell: Cell, path: Path) -> Iterator[Bench]:
    """Load a ruleset anew into the device's namespace; both are gone at the end."""
    source = read_source(path)
    ruleset = load_source(source)
    last = _last(cell, ruleset)
    opened = open_forwarding_lab if last == "forward" else open_filter_lab
    with (
        opened(cell) as bare,
        started(rules_in(named(bare, source), source, last)) as (lab, passed),
        started(listening(lab.dut.path, ruleset.log_groups)),
    ):
        if settings_of(cell).established:
            lay_out_flows(lab, cell)
        dut = Dut(lab=lab, passed=passed, threads=lab.start_dut_threads())

        def run(load: Load, timing: Timing) -> Trial:
            return dut.run_trial(replace(cell, load=load), timing)

        yield Bench(
            program_hash=hashlib.sha256(source.text.encode()).hexdigest()[:16], run_trial=run,
            processes=(passed.tool,) if passed else (), probe_point=ProbePoint.of_lab(lab),
        )  # fmt: skip


def described(cell: Cell, folder: Path) -> Cell:
    """Say of a cell with a ruleset of the user's own what a packet executes there, in the mean."""
    if not is_own(cell.program):
        return cell
    ruleset = load_source(read_source(folder / cell.program))
    established = float(settings_of(cell).established)
    ways, _ = follow(ruleset, frames_of(cell.load), _last(cell, ruleset), established)
    counts: dict[str, float] = {}
    for way in ways:
        for kind, times in way.operations:
            counts[kind] = counts.get(kind, 0.0) + way.share * times
    return replace(cell, operations=tuple(
        (kind, round(times)) for kind, times in sorted(counts.items()) if round(times)
    ))  # fmt: skip


def _last(cell: Cell, ruleset: Ruleset) -> Hook:
    return settings_of(cell).hook or ruleset.last_hook


def _check_flows(cell: Cell, ruleset: Ruleset) -> None:
    """Refuse flows that are not what a packet of the lab meets."""
    known = settings_of(cell).established
    if known and not (ruleset.tracks and cell.load.packet.protocol == "udp"):
        raise bad_input("established", True, why="only rules that ask for ct state see it, and "
                        "only flows of UDP are written down", allowed="false",
                        do="leave it out")  # fmt: skip
    if not known and ruleset.tracks and _last(cell, ruleset) == "forward":
        raise bad_input("established", False, why="a packet that was forwarded is known from then "
                        "on: only one is the first of its flow", allowed="true",
                        do="ruleset = { established = [true] }")  # fmt: skip


def named(lab: VethLab, source: Source) -> VethLab:
    """Call the device what the rules call it."""
    if not source.devices:
        return lab
    lab.dut.run(["ip", "link", "set", "dev", lab.dut_device, "name", source.devices[0]])
    return replace(lab, dut_device=source.devices[0])


@contextmanager
def rules_in(lab: VethLab, source: Source, last: Hook) -> Iterator[tuple[VethLab, Passed | None]]:
    """Load the rules; what they forward leaves, all else that passes is counted and dropped."""
    for other in source.devices[1:]:
        lab.dut.run(["ip", "link", "add", other, "type", "veth"])
    if source.sets:
        lab.dut.run(["ipset", "restore"], text_in=source.sets)
    lab.dut.run(LOADERS[source.datapath], text_in=source.rules)
    if last == "forward":
        yield lab, None
        return
    with count_passed(lab, last) as passed:
        yield lab, passed


OWN_RULESETS = LabBench(
    check=lambda cell, where: check_ruleset(cell, where.folder / cell.program),
    open=lambda cell, where: open_ruleset_bench(cell, where.folder / cell.program),
)
"""What takes the user's own rulesets."""
