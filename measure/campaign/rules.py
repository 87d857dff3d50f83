"""Which factors of a block go together; each rule refuses what does not, in clear words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from linerate.errors import bad_input, bad_name
from linerate.measure.campaign.factors import FilterFactors, check_filter
from linerate.measure.datapaths.catalogue import ACCESSING_PROGRAMS, OPERATIONS_MAX
from linerate.measure.datapaths.datapath import is_file
from linerate.measure.datapaths.registry import datapath_named, datapaths
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import OPERATIONS_MAX as SWX_OPERATIONS_MAX
from linerate.measure.datapaths.swx.spec.own import (
    OWN_SUFFIXES,
    TABLE_SUFFIX,
    check_own_path,
    is_own,
)

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

Rule = Callable[..., None]
"""Takes a block, which a type checker knows by two names where the package is a link."""
TABLES = ("socket", "filter", "chain", "pipeline")
"""Tables of settings that a block may have."""


def programs_run_there(block: FactorBlock) -> None:
    """Refuse a program that one of the datapaths does not run."""
    for datapath in block.datapath:
        record = datapath_named(datapath)
        for name in block.program:
            if is_file(name) and record.own:
                check_own_path("program", name, record.own)
            elif not record.takes(name):
                known([name], record.programs, "program", f"{datapath} does not run it")


def accesses_are_made(block: FactorBlock) -> None:
    """Refuse memory accesses of a program that makes none."""
    if most := max(block.memory_accesses):
        _only_with(
            block.program, ACCESSING_PROGRAMS, "memory_accesses", most, "it makes no accesses"
        )


def operations_are_executed(block: FactorBlock) -> None:
    """Refuse operations that the program does not execute, or not so often."""
    asked = [mix for mix in block.operations if mix]
    if not asked:
        return
    on_swx = block.datapath == ["swx"]
    most = SWX_OPERATIONS_MAX if on_swx else OPERATIONS_MAX
    for mix in asked:
        known(list(mix), tuple(most), "operations", "no such operation")
        for kind, times in mix.items():
            if times > most[kind]:
                raise bad_input(
                    kind, times, why="a packet cannot ask for so many",
                    allowed=f"1..{most[kind]}", do="lower it",
                )  # fmt: skip
    if not on_swx:
        _only_with(
            block.program, {"operations"}, "operations", asked[0], "it executes none of them"
        )


def tables_are_of_the_datapath(block: FactorBlock) -> None:
    """Refuse a table of settings that one of the datapaths does not have."""
    for table in TABLES:
        having = [name for name, each in datapaths().items() if each.settings == table]
        strange = sorted(set(block.datapath) - {*having})
        if getattr(block, table) is not None and strange:
            raise bad_input(
                table, "a table", why=f"{', '.join(strange)} has no such settings",
                allowed=f"with {', '.join(sorted(having))}",
                do="give these datapaths [[cells]] blocks of their own",
            )  # fmt: skip
    for datapath in block.datapath:
        if datapath_named(datapath).settings != "filter":
            continue
        for settings in (block.filter or FilterFactors()).settings():
            check_filter(datapath, settings)


def chains_have_room(block: FactorBlock) -> None:
    """Refuse a chain without a length, or behind the generator on its core."""
    if "chain" in block.datapath and (block.chain is None or block.mode != "split"):
        raise bad_input(
            "datapath", "chain", why="its functions need cores beside the generator's, and a "
            "length", allowed='mode = "split" and chain = { length = [..] }', do="add them",
        )  # fmt: skip


def pipelines_have_their_mode(block: FactorBlock) -> None:
    """Refuse a pipeline's port that goes with the other mode."""
    if "swx" not in block.datapath:
        return
    for port in block.pipeline.port if block.pipeline else ["ring"]:
        mode = "serial" if port == "net_null" else "split"
        if block.mode != mode:
            raise bad_input(
                "mode", block.mode, why=f"port {port} has "
                + ("no generator" if mode == "serial" else "packets from beyond its own core"),
                allowed=mode, do="correct it, or give the port a block of its own",
            )  # fmt: skip


def pipelines_can_be_written(block: FactorBlock) -> None:
    """Refuse numbers of registers or entries that no generated pipeline has."""
    factors = block.pipeline
    if factors is None:
        return
    for registers, entries in itertools.product(factors.registers, factors.table_entries):
        SwxProgram(registers=registers, table_entries=entries)


def cards_are_named(block: FactorBlock) -> None:
    """Refuse a network card without an address, or an address without a card."""
    if block.pipeline is None:
        return
    for port in block.pipeline.port:
        for address in block.pipeline.device:
            if bool(address) != (port == "pci"):
                raise bad_input(
                    "device", repr(address), why=f"port {port} "
                    + ("has no card" if address else "needs the PCI address of a card"),
                    allowed='device = ["0000:3b:00.0"] or the like with port = ["pci"] alone',
                    do="correct one of the two, or give the port a block of its own",
                )  # fmt: skip


def own_pipelines_stand_alone(block: FactorBlock) -> None:
    """Refuse files elsewhere, and what only generated pipelines can be asked for beside them."""
    own = [name for name in block.program if is_own(name)]
    for name in own:
        check_own_path("program", name, OWN_SUFFIXES)
    tables = block.pipeline.tables if block.pipeline else {}
    for name, file in tables.items():
        check_own_path(f"tables.{name}", file, (TABLE_SUFFIX,))
    if (own or tables) and (len(own) < len(block.program) or any(block.operations)):
        raise bad_input(
            "program", ", ".join(block.program), why="tables are of pipelines of one's own, which "
            "execute what their files say", allowed="only such files, without operations",
            do="give the others a [[cells]] block of their own",
        )  # fmt: skip


def trains_are_bursts(block: FactorBlock) -> None:
    """Refuse bursts of arrivals that have none."""
    if block.burst_packets > 1 and block.arrivals != "burst":
        raise bad_input(
            "burst_packets", block.burst_packets, why=f"{block.arrivals} arrivals have no bursts",
            allowed='1, or arrivals = "burst"', do="correct one of the two",
        )  # fmt: skip


def pings_are_a_chains(block: FactorBlock) -> None:
    """Refuse echo requests alone where the datapath is no chain."""
    if block.generator == "ping" and (block.datapath != ["chain"] or not block.pings_per_second):
        raise bad_input(
            "generator", "ping", why="echo requests alone are a load of chains only",
            allowed='datapath = ["chain"] with pings_per_second', do="correct one of the two",
        )  # fmt: skip


BLOCK_RULES: tuple[Rule, ...] = (
    programs_run_there,
    accesses_are_made,
    operations_are_executed,
    tables_are_of_the_datapath,
    chains_have_room,
    pipelines_have_their_mode,
    pipelines_can_be_written,
    cards_are_named,
    own_pipelines_stand_alone,
    trains_are_bursts,
    pings_are_a_chains,
)
"""In the order in which they are applied."""


def known(names: list[str], allowed: tuple[str, ...], field: str, why: str) -> list[str]:
    """Pass names on that are allowed; refuse the first that is not."""
    for name in names:
        if name not in allowed:
            raise bad_name(
                field, name, why=why, known=allowed,
                do="use one of these names, or give it a [[cells]] block of its own",
            )  # fmt: skip
    return names


def _only_with(
    programs: list[str], able: Collection[str], field: str, got: object, why: str
) -> None:
    for program in programs:
        if program not in able:
            raise bad_input(
                field, got, why=f"program {program}: {why}",
                allowed=f"with {', '.join(sorted(able))}",
                do="give the program a [[cells]] block of its own",
            )  # fmt: skip
