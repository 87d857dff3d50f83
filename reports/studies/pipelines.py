"""Pipelines of DPDK's SWX, as Izolan (2021) measures them: the rate of each."""

from __future__ import annotations

import pandas as pd

from linerate.models.operations.work import operations_in
from linerate.reports.figures.pipelines.cells import CELL, FACTORS, NO_PIPELINE, serial_rows
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import condition
from linerate.reports.language.factors import varying
from linerate.reports.section import Section
from linerate.reports.studies.study import (
    Column,
    Grid,
    StudyKind,
    Summary,
    grid_of,
    number_text,
    range_text,
)
from linerate.reports.tables import LeftOut
from linerate.reports.tables.spreads import spreads_of


def rates_table(section: Section) -> pd.DataFrame | LeftOut:
    """Take the rate of every pipeline on packets that need no wire.

    Returns
    -------
    ``CELL``, ``mpps, gbps, packet_ns`` each with its ends, ``runs``. Gbit/s are of frames with
    FCS; the time is of one lcore.
    """
    rows = serial_rows(section)
    if rows.empty:
        return NO_PIPELINE
    rows = rows.assign(
        gbps=rows["mpps"] * rows["frame_bytes"] * 8e-3,
        packet_ns=1e3 * rows["queues"] / rows["mpps"],
    )
    return spreads_of(rows, CELL, ["mpps", "gbps", "packet_ns"]).assign(series="measured")


def rates_grid(table: pd.DataFrame, words: Words) -> Grid:
    """Print the rate of each pipeline."""
    varied = varying(table, FACTORS, within=("operations",))
    columns: list[Column] = [
        (words("operations"), lambda row: condition(row, ("operations",), words)),
        (words("cell"), lambda row: condition(row, varied, words)),
        (words("Mpps"), lambda row: number_text(row["mpps"], words)),
        (words("smallest to largest"), lambda row: range_text(
            row["min_mpps"], row["max_mpps"], words)),
        (words("Gbit/s"), lambda row: number_text(row["gbps"], words)),
        (words("ns per packet"), lambda row: number_text(row["packet_ns"], words)),
    ]  # fmt: skip
    return grid_of(_most_alike_first(table), columns)


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


STUDY = StudyKind(
    name="pipelines", summaries=(
        Summary(
            name="pipelines", title=message("Rates of pipelines"), statistic=message(
                "Medians of the repetitions. Gbit/s of frames with FCS; ns of one lcore."
            ), table=rates_table, grid=rates_grid,
        ),
    ),
)  # fmt: skip
