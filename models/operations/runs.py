"""Runs whose packets differ by what they execute, out of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import sustains
from linerate.messages import note
from linerate.models.latency.round_trips import own_work_ns
from linerate.models.operations.own import BARE, RECEIVE, is_own, own_steps
from linerate.models.operations.rulesets import RULESETS, ruleset_work
from linerate.models.operations.shared import OF_RULES
from linerate.models.operations.sound import WORKS_MAX
from linerate.models.operations.work import UNPRICED, Setting, Work, operations_in
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.runs.selection import FILTER, Selection, believable, is_mixed, without
from linerate.models.runs.training import CAPACITY_MODE
from linerate.tables.runs import check_runs, text_of
from linerate.units import line_rate_mpps

STACK = ("tc", "netfilter", "nftables", "iptables")
"""Datapaths that have a packet's buffer before the program runs."""
ALL_DROPPED = "drop_all"
"""The filter that looks at nothing."""
USUAL = {
    "frame_bytes": "64", "queues": "1", "flows": "1", "pipeline_port": "net_null",
    "pipeline_burst_packets": "32", "hugepages": "false", "memory_channels": "0",
    "nsh_aware": "false", "metadata_type": "1", "chain_work_ns": "0",
}  # fmt: skip
"""Settings that a base path may cost more or less by, with the level that nothing is added for."""
DECIDE = ("datapath", "program", "operations", "chain_function", "chain_length", "chain_topology",
          "filter_hook", "filter_flavour", "working_set_bytes", "table_entries", "registers",
          *USUAL)  # fmt: skip
"""Columns that a row's work is read from."""
ENTRY_BYTES = 64
"""Memory that one entry of a table, or a register on a cache line of its own, takes."""
CACHED_BYTES = 65536
"""A working set whose misses a core's reordering hides: about a first-level cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixRuns:
    """n runs whose packets differ by what they execute; every array has shape (n,)."""

    works: tuple[Work, ...]
    """Distinct works, what ``work`` points into."""
    work: Codes
    packet_ns: Array
    """Time that a packet holds a core: queues over rate."""
    row: Codes
    """Place of each run in the table that it is from."""
    notes: tuple[str, ...] = ()
    """What was left out, one sentence each."""

    def __len__(self) -> int:
        return self.work.size

    def take(self, rows: Mask) -> MixRuns:
        """Keep some runs; the works stay, so that codes keep their meaning."""
        return replace(self, work=self.work[rows], packet_ns=self.packet_ns[rows],
                       row=self.row[rows])  # fmt: skip

    def times_ns(self, work: Work) -> Array:
        """Take the times of a packet of one work, by its runs."""
        return np.asarray(self.packet_ns[self.work == self.works.index(work)])

    def medians(self) -> tuple[tuple[Work, ...], Array]:
        """Works that have runs, and the median of their packets' times, ns."""
        codes = np.unique(self.work)
        times = [float(np.median(self.packet_ns[self.work == code])) for code in codes]
        return tuple(self.works[code] for code in codes), np.array(times)


def mix_runs(runs: pd.DataFrame) -> MixRuns:
    """Choose and check the runs that the costs of steps are fitted on.

    Left out are invalid runs, suspect ones of cells that have valid ones, runs at their ceiling,
    echo requests, rulesets on frames that differ by their way, chains whose functions have work of
    their own, lcores that share cores, and modes
    other than serial where a program has it.

    Raises
    ------
    BadInputError
        No table of runs, nothing left, or more kinds of packets than a model file may hold.
    """
    checked = check_runs(runs).reset_index(drop=True)
    kept, notes = believable(checked)
    kept, notes = without(kept, ~is_mixed(kept), note("memory accesses tell them apart"), notes)
    kept, notes = _served(kept, notes)
    if kept.empty:
        raise bad_input(
            "runs", len(checked),
            why=note("none has steps to learn the costs of: {notes}", notes=notes),
            allowed=note("valid runs of operations, filters or chains, below their ceiling"),
            do=note("measure some"),
        )  # fmt: skip
    works, code = distinct_works(kept)
    distinct = tuple(dict.fromkeys(works))
    if len(distinct) > WORKS_MAX:
        raise bad_input(
            "runs", len(checked), why=f"their packets are of {len(distinct)} kinds, by operations "
            "and settings", allowed=f"at most {WORKS_MAX}", do="fit a part of the runs",
        )  # fmt: skip
    place = {work: number for number, work in enumerate(distinct)}
    return MixRuns(
        works=distinct, work=np.array([place[work] for work in works], dtype=np.intp)[code],
        packet_ns=1e3 * (kept["queues"] / kept["forwarded_mpps"]).to_numpy(dtype=np.float64),
        row=kept.index.to_numpy(dtype=np.intp), notes=notes,
    )  # fmt: skip


def _served(runs: pd.DataFrame, notes: tuple[str, ...]) -> Selection:
    """Keep the runs whose rate is that of the servers."""
    if "mode" in runs.columns:
        serial = runs["mode"].eq(CAPACITY_MODE)
        has = serial.groupby([runs["datapath"], runs["program"]]).transform("any")
        runs, notes = without(runs, has & ~serial, note("not of the serial mode"), notes)
    if "generator" in runs.columns:
        slow = runs["generator"].isin(["ping", "hping3"])
        runs, notes = without(runs, slow, note("the generator set their rate"), notes)
    if "ruleset_traffic" in runs.columns:
        known = text_of(runs, "operations").str.contains(f'"{RECEIVE}"')
        mixed = text_of(runs, "ruleset_traffic").ne("") & ~known
        runs, notes = without(runs, mixed, note("frames of a file, which go several ways"), notes)
    alone = runs["queues"].gt(1) & ~_shares(runs)
    words = note("of rules that share nothing, on several cores")
    runs, notes = without(runs, alone, words, notes)
    works = pd.Series(own_work_ns(runs) > 0.0, index=runs.index)
    runs, notes = without(runs, works, note("their functions have work of their own"), notes)
    if "oversubscribed" in runs.columns:
        runs, notes = without(
            runs, runs["oversubscribed"].eq(True), note("their lcores share cores"), notes
        )
    line = line_rate_mpps(runs["link_gbps"], runs["frame_bytes"])
    ceiling = np.fmin(line, runs["offered_mpps"].fillna(np.inf).to_numpy(dtype=np.float64))
    mpps = runs["forwarded_mpps"].to_numpy(dtype=np.float64)
    full = pd.Series((mpps <= 0.0) | sustains(mpps, ceiling), index=runs.index)
    return without(runs, full, note("at their ceiling, or nothing forwarded"), notes)


def _shares(runs: pd.DataFrame) -> pd.Series:
    """Whether packets meet what cores wait for, or no rule; also where they are no ruleset's.

    All others take a few percent longer where another core works, which is no sum of what they do.
    """
    operations = text_of(runs, "operations")
    met = operations.str.contains("|".join(f'"{kind}"' for kind in sorted(OF_RULES)))
    met |= ~operations.str.contains('"rule"')
    return met | ~(runs["datapath"].isin(RULESETS) & operations.str.contains(f'"{RECEIVE}"'))


def works_of(table: pd.DataFrame) -> list[Work]:
    """Read the work of each row; columns that are not there are taken as usual."""
    works, code = distinct_works(table)
    return [works[each] for each in code]


def distinct_works(table: pd.DataFrame) -> tuple[tuple[Work, ...], Codes]:
    """Read the works of a table, each kind of row once.

    Returns
    -------
    Works in the order in which they come first, and which of them each row has, shape (n,). Rows
    that differ in what no work depends on may have equal works.
    """
    names = [name for name in DECIDE if name in table.columns]
    code = np.zeros(len(table), dtype=np.intp)
    for name in names:
        level, levels = pd.factorize(table[name])  # -1 where there is none
        if len(levels) > 1 or (level < 0).any():
            code = pd.factorize(code * (len(levels) + 1) + level + 1)[0]
    _, first = np.unique(code, return_index=True)
    rows = table[names].iloc[first].to_dict("records")
    works = tuple(_work(_Row({str(name): value for name, value in row.items()})) for row in rows)
    return works, np.asarray(code, dtype=np.intp)


class _Row:
    """Levels of one row as text, whole numbers without a point; empty where there is none."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        value = self._values.get(name)
        if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
            return ""
        if isinstance(value, (bool, np.bool_)):
            return str(bool(value)).lower()
        return f"{float(value):g}" if isinstance(value, (int, float, np.number)) else str(value)

    def count(self, name: str) -> int:
        return int(float(self.text(name) or 0))

    def settings(self) -> tuple[Setting, ...]:
        levels = [(name, self.text(name), usual) for name, usual in USUAL.items()]
        return tuple((name, level) for name, level, usual in levels if level not in ("", usual))


def _work(row: _Row) -> Work:
    datapath, program = row.text("datapath"), row.text("program")
    if datapath in RULESETS and PurePath(program).suffix:
        operations = operations_in(row.text("operations")) or ()
        return ruleset_work(datapath, operations, row.count("queues") or 1)
    if datapath == "chain":
        function, length = row.text("chain_function"), row.count("chain_length")
        hop = f"{row.text('chain_topology')}_hop_{function}"
        return Work(scope=datapath, base=function, settings=row.settings(),
                    steps=((hop, length),) if length else ())  # fmt: skip
    if program.startswith(FILTER):
        flavour = row.text("filter_flavour")
        where = (datapath, row.text("filter_hook"), flavour)
        part = "_".join(filter(None, (datapath, flavour)))
        kind = f"{program}_stack_{part}" if datapath in STACK else f"{program}_driver"
        # Both hooks of a driver run the same code; each part of the stack has its own.
        # Each filter is sent the packets that it drops: their size is not a factor of its own.
        return Work(scope="filter", base=" ".join(filter(None, where)),
                    steps=() if program == ALL_DROPPED else ((kind, 1),))  # fmt: skip
    operations = operations_in(row.text("operations")) or ()
    if is_own(operations):
        program, operations = BARE, own_steps(operations)
    return Work(
        scope=datapath, base=program, settings=row.settings(), set_bytes=_set_bytes(row),
        steps=tuple(pair for pair in operations if pair[0] != UNPRICED),
        unpriced=dict(operations).get(UNPRICED, 0),
    )  # fmt: skip


def _set_bytes(row: _Row) -> int:
    """Memory that the packets' lookups range over, 0 where a first-level cache holds it."""
    touched = row.count("working_set_bytes")
    steps, flows = dict(operations_in(row.text("operations")) or ()), row.count("flows")
    tables = sum(times for kind, times in steps.items() if kind.startswith("table_"))
    if tables:
        touched = max(touched, min(flows, row.count("table_entries")) * tables * ENTRY_BYTES)
    if any(kind.startswith("register_") for kind in steps):
        touched = max(touched, min(flows, row.count("registers")) * ENTRY_BYTES)
    return touched if touched > CACHED_BYTES and steps else 0
