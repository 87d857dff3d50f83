"""Operations: what each kind costs, and mixes beside the sums of their parts."""

from __future__ import annotations

import pandas as pd

from linerate.reports.figures.operations.added_times import added_times
from linerate.reports.figures.operations.costs import cost_table, mixes_table
from linerate.reports.figures.operations.packet_times import PLACE
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import LOAD, varying
from linerate.reports.language.names import printable
from linerate.reports.language.operations import short_kind
from linerate.reports.studies.study import (
    Column,
    Grid,
    StudyKind,
    Summary,
    grid_of,
    interval_text,
    memory_text,
    number_text,
    range_text,
)


def operations_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print costs at the most operations per packet of each kind and working set."""
    varied = varying(table, ("datapath", *LOAD), within=("kind", "times", "working_set_bytes"))
    place = ["datapath", *LOAD, "kind", "working_set_bytes"]
    most = table.groupby(place, dropna=False)["times"].transform("max")
    columns: list[Column] = [
        (words("operation"), lambda row: printable(row["kind"])),
        (words("load"), lambda row: condition(row, varied, words)),
        (words("working set"), lambda row: memory_text(row["working_set_bytes"], words)),
        (words("ops per packet"), lambda row: number_text(row["times"], words)),
        (words("ns each"), lambda row: number_text(row["ns"], words)),
        (words("smallest to largest"), lambda row: range_text(
            row["min_ns"], row["max_ns"], words)),
    ]  # fmt: skip
    return grid_of(table[table["times"] == most].sort_values(["kind", *place[:-2]]), columns)


def costs_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print what numbers of each kind add, measured and fitted."""
    varied = varying(table, PLACE, within=("kind", "times", "working_set_bytes"))
    columns: list[Column] = [
        (words("operation"), lambda row: printable(row["kind"])),
        (words("load"), lambda row: condition(row, varied, words)),
        (words("working set"), lambda row: memory_text(row["working_set_bytes"], words)),
        (words("ops per packet"), lambda row: number_text(row["times"], words)),
        (words("measured (ns)"), lambda row: number_text(row["measured_ns"], words)),
        (words("fitted (ns)"), lambda row: number_text(row["added_ns"], words)),
        (words("90 % interval"), lambda row: interval_text(row, "ns", words)),
        (words("ns each"), lambda row: number_text(row["each_ns"], words)),
    ]  # fmt: skip
    return grid_of(table, columns)


def mixes_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print each mix beside the sum of its parts."""
    varied = varying(table, PLACE, within=("mix",))
    columns: list[Column] = [
        (words("mix"), lambda row: short_kind(row["mix"])),
        (words("load"), lambda row: condition(row, varied, words)),
        (words("measured (ns)"), lambda row: number_text(row["measured_ns"], words)),
        (words("sum of the parts (ns)"), lambda row: number_text(row["parts_ns"], words)),
        (words("residual (%)"), lambda row: number_text(row["parts_percent"], words, 2)),
        (words("overlap (ns)"), lambda row: number_text(row["hidden_ns"], words)),
        (words("waits (ns)"), lambda row: number_text(row["linked_ns"], words)),
        (words("interaction (ns each)"), lambda row: number_text(row["interaction_ns"], words)),
        (words("90 % interval"), lambda row: interval_text(row, "interaction_ns", words)),
        (words("mixes with it"), lambda row: number_text(row["mixes"], words)),
        (words("residual with interaction (%)"),
         lambda row: number_text(row["residual_percent"], words, 2)),
    ]  # fmt: skip
    return grid_of(table, columns)


STUDY = StudyKind(
    name="operations", summaries=(
        Summary(
            name="operations", title=message("What an operation costs"), statistic=message(
                "Medians of the repetitions, at the most operations per packet that were measured."
            ), table=added_times, grid=operations_grid,
        ),
        Summary(
            name="operation-costs", title=message("What an operation costs, over all counts"),
            statistic=message(
                "Time added to a packet by so many operations, measured and by the fitted model, "
                "whose cost between two numbers is on a straight line and never below 0."
            ), table=cost_table, grid=costs_grid,
        ),
        Summary(
            name="mixes", title=message("Mixes beside the sums of their parts"), statistic=message(
                "Time added to a packet; residual: measured over sum, minus 1. Overlap is what a "
                "core executes at the same time as the rest; waits are those of reads of a "
                "register for writes just before them; the interaction is for each operation of "
                "the rarest kind. One mix cannot confirm its own interaction."
            ), table=mixes_table, grid=mixes_grid,
        ),
    ),
)  # fmt: skip
