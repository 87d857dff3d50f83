"""Figures of the studies beside capacity: sockets, operations, filters, chains, searches."""

from __future__ import annotations

from linerate.reports import tables
from linerate.reports.figures.chains import chain_rate, chain_rtt
from linerate.reports.figures.filters import filters_ping, filters_rate
from linerate.reports.figures.kind import FigureKind
from linerate.reports.figures.operations import operations_by_kind, operations_by_working_set
from linerate.reports.figures.pipelines import (
    pipeline_bursts,
    pipeline_lcores,
    pipeline_operations,
    pipeline_sizes,
)
from linerate.reports.figures.searches import frame_loss, load_latency, search_bounds
from linerate.reports.figures.sockets import af_xdp_settings

COST = (
    "Service time on a core with the operations less that without any, over their number. "
    "Marks: median of the repetitions, bars from the smallest to the largest."
)
SERIAL = "Marks: median of the repetitions, bars from the smallest to the largest."
STUDY_FIGURES = (
    FigureKind(
        name="af-xdp-settings", title="AF_XDP throughput by settings of the socket", statistic=(
            "Smallest frame. Marks: median of the repetitions, bars from the smallest to the "
            "largest; marks of one batch size lie side by side."
        ), table=tables.af_xdp_settings_table, draw=af_xdp_settings, study="sockets",
    ),
    FigureKind(
        name="operations-by-kind", title="Cost of an operation by its kind",
        statistic=COST, table=tables.operations_by_kind_table, draw=operations_by_kind,
        study="operations",
    ),
    FigureKind(
        name="operations-by-working-set", title="Cost of an operation against its working set",
        statistic=COST, table=tables.operations_by_working_set_table,
        draw=operations_by_working_set, study="operations",
    ),
    FigureKind(
        name="pipeline-operations", title="Throughput of pipelines against their operations",
        statistic=SERIAL, table=tables.pipeline_operations_table, draw=pipeline_operations,
        study="pipelines",
    ),
    FigureKind(
        name="pipeline-sizes", title="Throughput of pipelines against frame size",
        statistic=SERIAL, table=tables.pipeline_sizes_table, draw=pipeline_sizes,
        study="pipelines",
    ),
    FigureKind(
        name="pipeline-bursts", title="Throughput and latency of pipelines against the burst",
        statistic=(
            "Latency: one way per packet. Marks: median of the repetitions, bars from the smallest "
            "to the largest."
        ), table=tables.pipeline_bursts_table, draw=pipeline_bursts, study="pipelines",
    ),
    FigureKind(
        name="pipeline-lcores", title="Throughput of pipelines against lcores",
        statistic=SERIAL, table=tables.pipeline_lcores_table, draw=pipeline_lcores,
        study="pipelines",
    ),
    FigureKind(
        name="filters-rate", title="Packets dropped by each subsystem", statistic=(
            "Rate of packets that the filter itself counted as dropped. Marks: median of the "
            "repetitions, bars from the smallest to the largest; subsystems by their median."
        ), table=tables.filters_rate_table, draw=filters_rate, study="filters",
    ),
    FigureKind(
        name="filters-ping", title="Ping beside a filtered load", statistic=(
            "Marks: median over the runs of each run's median round-trip time and lost share, "
            "bars from the smallest to the largest; no time where no ping came back."
        ), table=tables.filters_ping_table, draw=filters_ping, study="filters",
    ),
    FigureKind(
        name="chain-rtt", title="Round-trip time against the length of the chain", statistic=(
            "Marks: median over the runs of each run's mean, bars from the smallest to the "
            "largest. Lines: least squares through all runs."
        ), table=tables.chain_rtt_table, draw=chain_rtt, study="chains",
    ),
    FigureKind(
        name="chain-rate", title="Throughput and loss against the length of the chain", statistic=(
            "Lost: share of the intended packets that did not arrive. Marks: median of the "
            "repetitions, bars from the smallest to the largest."
        ), table=tables.chain_rate_table, draw=chain_rate, study="chains",
    ),
    FigureKind(
        name="search-bounds", title="Highest load that is carried, by search", statistic=(
            "Each bar is one search of one program load: from the highest load that met the goal "
            "to the lowest that did not. Diamonds: mean received rate at the highest load, from "
            "the smallest to the largest trial."
        ), table=tables.searches_table, draw=search_bounds, study="searches",
    ),
    FigureKind(
        name="load-latency", title="Latency against the share of the carried load", statistic=(
            "One-way latency per packet; 100 % is the highest lower bound of the same search. "
            "Marks: median over the searches of each one's statistic, bars from the smallest to "
            "the largest."
        ), table=tables.curve_table, draw=load_latency, study="searches",
    ),
    FigureKind(
        name="frame-loss", title="Frame loss against the offered load", statistic=(
            "RFC 2544, section 26.3: share of the intended frames that did not come back. Marks: "
            "median of the searches, bars from the smallest to the largest."
        ), table=tables.frame_loss_table, draw=frame_loss, study="searches",
    ),
)  # fmt: skip
"""In the order of the report."""
