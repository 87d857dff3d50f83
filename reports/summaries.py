"""Tables of the page for the studies beside capacity, each a CSV file too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from linerate.models.operations.additivity import operations_in
from linerate.reports import tables
from linerate.reports.conditions import HOOK, LOAD, bytes_text, condition, hook_name, varying
from linerate.reports.operation_names import short_kind
from linerate.reports.sections import Section, printable
from linerate.reports.studies import FILTER_PROGRAMS, Study
from linerate.reports.tables import LeftOut
from linerate.reports.tables.packet_times import PLACE
from linerate.reports.tables.pipelines import FACTORS
from linerate.reports.tables.searches import CELL, POINT
from linerate.reports.words import Words

Column = tuple[str, Callable[[pd.Series], str]]
"""Header and what a row says under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of texts with a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryKind:
    """One table that a report may hold."""

    name: str
    """Of its file."""
    title: str
    """Message of the catalogue, as is the other."""
    statistic: str
    study: Study
    table: Callable[[Section], pd.DataFrame | LeftOut]
    grid: Callable[[pd.DataFrame, Words], Grid]


def filters_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print filters as Sampaio (2017) does: a row for each program and subsystem."""
    told = varying(table, LOAD, within=("program", *HOOK))
    order = {program: place for place, program in enumerate(FILTER_PROGRAMS)}
    place = table["program"].map(order).fillna(len(order))
    rows = table.assign(place=place).sort_values("place", kind="stable")
    columns: list[Column] = [
        (words("program"), lambda row: printable(row["program"])),
        (words("subsystem"), lambda row: hook_name(row, words)),
        (words("load"), lambda row: condition(row, told, words)),
        (words("dropped"), lambda row: _number(row["dropped_packets"], words)),
        (words("in (s)"), lambda row: _number(row["duration_s"], words)),
        (words("Mpps"), lambda row: _number(row["mpps"], words)),
        (words("peak (Mpps)"), lambda row: _number(row["peak_mpps"], words)),
        (words("steady (Mpps)"), lambda row: _number(row["steady_mpps"], words)),
        (words("CPU (%)"), lambda row: _number(row["busy_percent"], words)),
        (words("RTT (µs)"), lambda row: _number(row["rtt_us"], words)),
        (words("lost pings (%)"), lambda row: _number(row["ping_loss_percent"], words)),
        (words("memory"), lambda row: _memory(row["memory_bytes"], words)),
    ]
    return _grid(rows, columns)


def operations_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print costs at the most operations a packet of each kind and working set."""
    told = varying(table, ("datapath", *LOAD), within=("kind", "times", "working_set_bytes"))
    place = ["datapath", *LOAD, "kind", "working_set_bytes"]
    most = table.groupby(place, dropna=False)["times"].transform("max")
    columns: list[Column] = [
        (words("operation"), lambda row: printable(row["kind"])),
        (words("load"), lambda row: condition(row, told, words)),
        (words("working set"), lambda row: _memory(row["working_set_bytes"], words)),
        (words("a packet"), lambda row: _number(row["times"], words)),
        (words("ns each"), lambda row: _number(row["ns"], words)),
        (words("smallest to largest"), lambda row: words(
            "{low} to {high}", low=_number(row["min_ns"], words),
            high=_number(row["max_ns"], words))),
    ]  # fmt: skip
    return _grid(table[table["times"] == most].sort_values(["kind", *place[:-2]]), columns)


def costs_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print the cost of each kind with its interval."""
    told = varying(table, PLACE, within=("kind", "working_set_bytes"))
    columns: list[Column] = [
        (words("operation"), lambda row: printable(row["kind"])),
        (words("load"), lambda row: condition(row, told, words)),
        (words("working set"), lambda row: (
            _memory(row["working_set_bytes"], words) if row["working_set_bytes"] else "-")),
        (words("a packet"), lambda row: words(
            "{low} to {high}", low=_number(row["fewest"], words), high=_number(row["most"], words)
        ) if row["counts"] > 1 else _number(row["most"], words)),
        (words("ns each"), lambda row: _number(row["ns"], words)),
        (words("90 % interval"), lambda row: _interval(row, "ns", words)),
        (words("once (ns)"), lambda row: _number(row["setup_ns"], words)),
        (words("its 90 % interval"), lambda row: (
            "-" if pd.isna(row["setup_ns"]) else _interval(row, "setup_ns", words))),
        (words("dearest over cheapest count"), lambda row: (
            _number(row["spread_ratio"], words) if row["counts"] > 1 else "")),
        (words("monotone"), lambda row: (
            (words("yes") if row["monotone"] else words("no")) if row["counts"] > 1 else "")),
    ]  # fmt: skip
    return _grid(table, columns)


def mixes_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print each mix beside the sum of its parts."""
    told = varying(table, PLACE, within=("mix",))
    columns: list[Column] = [
        (words("mix"), lambda row: short_kind(row["mix"])),
        (words("load"), lambda row: condition(row, told, words)),
        (words("measured (ns)"), lambda row: _number(row["measured_ns"], words)),
        (words("sum of the parts (ns)"), lambda row: _number(row["summed_ns"], words)),
        (words("apart (%)"), lambda row: _number(row["error_percent"], words, 2)),
        (words("90 % interval"), lambda row: _interval(row, "error_percent", words)),
        (words("interaction (ns each)"), lambda row: _number(row["interaction_ns"], words)),
        (words("of how many mixes"), lambda row: (
            _number(row["interaction_mixes"], words) if row["interaction_mixes"] else "")),
        (words("apart with it (%)"), lambda row: (
            "" if row["additive"] else _number(row["modelled_error_percent"], words, 2))),
    ]  # fmt: skip
    return _grid(table, columns)


def rates_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print the rate of each pipeline."""
    told = varying(table, FACTORS, within=("operations",))
    table = _most_alike_first(table)
    columns: list[Column] = [
        (words("operations"), lambda row: condition(row, ("operations",), words)),
        (words("cell"), lambda row: condition(row, told, words)),
        (words("Mpps"), lambda row: _number(row["mpps"], words)),
        (words("smallest to largest"), lambda row: words(
            "{low} to {high}", low=_number(row["min_mpps"], words),
            high=_number(row["max_mpps"], words))),
        (words("Gbit/s"), lambda row: _number(row["gbps"], words)),
        (words("ns a packet"), lambda row: _number(row["packet_ns"], words)),
    ]  # fmt: skip
    return _grid(table, columns)


def latency_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print latency at the shares of load that were taken: a row for each, p50 and p99."""
    keys = [name for name in POINT if name in table.columns]
    wide = table.pivot_table(index=keys, columns="statistic", values="latency_us", dropna=False)
    offered = table.groupby(keys, dropna=False)["offered_mpps"].median()
    rows = wide.dropna(how="all").join(offered).reset_index()
    told = varying(rows, CELL)
    columns: list[Column] = [
        (words("cell"), lambda row: condition(row, told, words)),
        (words("load (%)"), lambda row: _number(row["load_percent"], words)),
        (words("offered (Mpps)"), lambda row: _number(row["offered_mpps"], words)),
        (words("median (µs)"), lambda row: _number(row["p50"], words)),
        (words("99th percentile (µs)"), lambda row: _number(row["p99"], words)),
    ]
    return _grid(rows, columns)


def searches_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print bounds as they were found."""
    told = ["datapath", *varying(table, CELL, within=("datapath",))]
    columns: list[Column] = [
        (words("cell"), lambda row: condition(row, told, words)),
        (words("goal"), lambda row: str(row["goal"]).upper()),
        (words("repetition"), lambda row: _number(row["repetition"], words)),
        (words("carried (Mpps)"), lambda row: _number(
            row["mrr_mpps"] if row["goal"] == "mrr" else row["lower_mpps"], words, 4)),
        (words("not carried (Mpps)"), lambda row: _number(row["upper_mpps"], words, 4)),
        (words("loss at the lower bound (%)"), lambda row: _number(
            100.0 * row["lower_loss_ratio"], words)),
        (words("limited by"), lambda row: (
            "" if pd.isna(row["limited_by"]) else printable(str(row["limited_by"])))),
    ]  # fmt: skip
    return _grid(table, columns)


def _most_alike_first(table: pd.DataFrame) -> pd.DataFrame:
    """Order pipelines: the place where most were measured first, there by kinds and counts."""
    place = [name for name in FACTORS if name != "program"]
    groups = table.groupby(place, dropna=False, sort=True)
    asked = [operations_in(text) or () for text in table["operations"]]
    return table.assign(
        size=-groups["mpps"].transform("size"), place=groups.ngroup(),
        kinds=[" ".join([str(len(one)), *(kind for kind, _ in one)]) for one in asked],
        times=[" ".join(f"{times:6}" for _, times in one) for one in asked],
    ).sort_values(["size", "place", "program", "kinds", "times"])  # fmt: skip


def _grid(rows: pd.DataFrame, columns: Sequence[Column]) -> Grid:
    """Print rows; a column that says the same nothing in each is left out."""
    said = [tuple(say(row) for _, say in columns) for _, row in rows.iterrows()]
    kept = [place for place in range(len(columns)) if any(row[place] not in ("", "-")
                                                          for row in said)]  # fmt: skip
    return Grid(
        header=tuple(columns[place][0] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in said),
    )


def _interval(row: pd.Series, name: str, words: Words) -> str:
    return words("{low} to {high}", low=_number(row[f"lower_{name}"], words),
                 high=_number(row[f"upper_{name}"], words))  # fmt: skip


def _number(value: float, words: Words, digits: int = 3) -> str:
    return words.number(float(value), digits)


def _memory(value: float, words: Words) -> str:
    return "-" if pd.isna(value) else bytes_text(float(value), words)


SUMMARIES = (
    SummaryKind(
        name="filters", title="What each subsystem dropped", statistic=(
            "Medians of the repetitions. CPU: busy share of the queues' cores; memory: what "
            "program and tables hold in the kernel."
        ), study="filters", table=tables.filters_table, grid=filters_grid,
    ),
    SummaryKind(
        name="operations", title="What an operation costs", statistic=(
            "Medians of the repetitions, at the most operations a packet that were measured."
        ), study="operations", table=tables.operation_costs, grid=operations_grid,
    ),
    SummaryKind(
        name="operation-costs", title="What an operation costs, over all counts", statistic=(
            "A packet's time over the number of operations: for each, and what a kind costs once "
            "where three counts and more show that; 90 % intervals by drawing program loads again."
        ), study="operations", table=tables.cost_table, grid=costs_grid,
    ),
    SummaryKind(
        name="mixes", title="Mixes beside the sums of their parts", statistic=(
            "Time added to a packet; apart: measured over sum, less 1. An interaction is fitted "
            "where some mix of the same kinds is over 15 % apart, and is told for each operation "
            "of the kind that is fewest; the last column leaves the mix itself out of the fit."
        ), study="operations", table=tables.mixes_table, grid=mixes_grid,
    ),
    SummaryKind(
        name="pipelines", title="Rates of pipelines", statistic=(
            "Medians of the repetitions. Gbit/s of frames with FCS; ns of one lcore."
        ), study="pipelines", table=tables.rates_table, grid=rates_grid,
    ),
    SummaryKind(
        name="load-latencies", title="Latency at shares of the carried load", statistic=(
            "Medians over the searches; 100 % is the highest lower bound of the same search."
        ), study="searches", table=tables.curve_table, grid=latency_grid,
    ),
    SummaryKind(
        name="searches", title="What the searches found", statistic=(
            "A row for each goal of each search: the load that met it and the load that did not. "
            "The truth lies between the two; of MRR it is the mean received rate."
        ), study="searches", table=tables.searches_table, grid=searches_grid,
    ),
)  # fmt: skip
"""In the order of the report."""
