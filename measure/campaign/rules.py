"""Which factors of a block go together; each rule refuses what does not, in clear words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from linerate.errors import bad_input, bad_name
from linerate.measure.datapaths.catalogue import ACCESSING_PROGRAMS
from linerate.measure.datapaths.own import check_own_path, is_own
from linerate.measure.datapaths.registry import datapath_named, datapaths
from linerate.settings import declared

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock

EXECUTING = "operations"
"""Program of ours that executes what it is asked for."""
Rule = Callable[..., None]
"""Takes a block, which a type checker knows by two names where the package is a link."""


def programs_run_there(block: FactorBlock) -> None:
    """Refuse a program that one of the datapaths does not run."""
    for datapath in block.datapath:
        record = datapath_named(datapath)
        for name in block.program:
            if is_own(name):
                check_own_path("program", name, record.own, datapath)
            else:
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
    for datapath in block.datapath:
        record = datapath_named(datapath)
        for mix in asked:
            _check_times(mix, record.operations, datapath)
        if EXECUTING in record.programs:
            _only_with(
                block.program, {EXECUTING}, "operations", asked[0], "it executes none of them"
            )


def _check_times(mix: Mapping[str, int], most: Mapping[str, int], datapath: str) -> None:
    known(list(mix), tuple(most), "operations", f"no such operation on {datapath}")
    for kind, times in mix.items():
        if times > most[kind]:
            raise bad_input(
                kind, times, why="a packet cannot ask for so many",
                allowed=f"1..{most[kind]}", do="lower it",
            )  # fmt: skip


def tables_are_of_the_datapath(block: FactorBlock) -> None:
    """Refuse a table of settings that one of the datapaths does not have."""
    for table in block.given:
        having = [
            name
            for name, each in datapaths().items()
            if table in (kind.table for kind in (each.settings, each.own_settings) if kind)
        ]
        if strange := sorted(set(block.datapath) - {*having}):
            raise bad_input(
                table, "a table", why=f"{', '.join(strange)} has no such settings",
                allowed=f"with {', '.join(sorted(having))}",
                do="give these datapaths [[cells]] blocks of their own",
            )  # fmt: skip


def datapaths_agree(block: FactorBlock) -> None:
    """Refuse what the rules of one of the datapaths refuse."""
    records = [datapath_named(name) for name in block.datapath]
    for rule in dict.fromkeys(rule for record in records for rule in record.rules):
        rule(block)


def own_settings_are_of_own_programs(block: FactorBlock) -> None:
    """Refuse settings of one's own programs beside a program of ours."""
    ours = [name for name in block.program if not is_own(name)]
    for datapath in map(datapath_named, block.datapath):
        kind = datapath.own_settings
        if kind and kind.table in block.given and ours:
            raise bad_input(
                kind.table, "a table", why=f"it is of one's own programs, and {ours[0]} is none",
                allowed=f"with paths that end in {' or '.join(datapath.own)}",
                do="leave it out, or give that program a [[cells]] block of its own",
            )  # fmt: skip


def files_are_beside(block: FactorBlock) -> None:
    """Refuse files of settings that are elsewhere, or of another kind."""
    for datapath, program in itertools.product(block.datapath, block.program):
        for settings in block.settings(datapath, program):
            for each in declared(type(settings)) if settings else ():
                path = getattr(settings, each.name)
                if each.about.suffixes and path:
                    check_own_path(each.name, path, each.about.suffixes, each.name)


def frames_are_named_once(block: FactorBlock) -> None:
    """Refuse sizes of frames beside settings that name the frames, or neither of them."""
    if block.names_frames and "frame_bytes" in block.model_fields_set:
        raise bad_input(
            "frame_bytes", block.frame_bytes, why="the frames are those of a file already",
            allowed="one of the two", do="leave it out, or give it a [[cells]] block of its own",
        )  # fmt: skip
    if not block.sizes:
        raise bad_input(
            "frame_bytes", "nothing", why="nothing says what is sent",
            allowed='sizes in bytes with FCS, or "imix"', do="name some",
        )  # fmt: skip


def trains_are_bursts(block: FactorBlock) -> None:
    """Refuse bursts of arrivals that have none."""
    if block.burst_packets > 1 and block.arrivals != "burst":
        raise bad_input(
            "burst_packets", block.burst_packets, why=f"{block.arrivals} arrivals have no bursts",
            allowed='1, or arrivals = "burst"', do="correct one of the two",
        )  # fmt: skip


def pings_are_a_chains(block: FactorBlock) -> None:
    """Refuse echo requests alone where the datapath is not a chain."""
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
    own_settings_are_of_own_programs,
    files_are_beside,
    frames_are_named_once,
    datapaths_agree,
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
