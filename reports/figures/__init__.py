"""Every figure of a report: what it needs, draws and says."""

from __future__ import annotations

from linerate.reports import tables
from linerate.reports.figures.heldout import held_out
from linerate.reports.figures.kind import FigureKind
from linerate.reports.figures.line_rate import line_rate_map
from linerate.reports.figures.load import (
    cpu_by_accesses,
    cpu_by_load,
    latency_by_accesses,
    latency_by_load,
)
from linerate.reports.figures.of_studies import STUDY_FIGURES
from linerate.reports.figures.throughput import (
    queue_scaling,
    throughput_by_accesses,
    throughput_by_frame_size,
)

BARS = (
    "Marks: median of the repetitions, bars from the smallest to the largest. Lines: the fitted "
    "model. Dashed: line rate."
)
CAPACITY_FIGURES = (
    FigureKind(
        name="line-rate-map", title="Where line rate is sustained", statistic=(
            "Colour: the model's probability that at least 99 % of line rate is forwarded. Marks: "
            "whether the median of the repetitions was."
        ), table=tables.line_rate_table, draw=line_rate_map,
    ),
    FigureKind(
        name="throughput-by-accesses", title="Throughput against memory accesses",
        statistic=BARS, table=tables.throughput_by_accesses_table, draw=throughput_by_accesses,
    ),
    FigureKind(
        name="throughput-by-frame-size", title="Throughput against frame size",
        statistic=BARS, table=tables.throughput_by_frame_size_table, draw=throughput_by_frame_size,
    ),
    FigureKind(
        name="queue-scaling", title="Throughput against queues", statistic=(
            "Smallest frame. Marks: median of the repetitions, bars from the smallest to the "
            "largest. Coloured lines: the fitted model. Grey: as many times the rate of the fewest "
            "queues. Dashed: line rate."
        ), table=tables.scaling_table, draw=queue_scaling,
    ),
    FigureKind(
        name="held-out", title="Predictions of cells that the model had not seen", statistic=(
            "Whole groups (datapath, program, queues, accesses) held out in turn. Marks: median of "
            "a cell's repetitions against the prediction; bars: its 90 % interval."
        ), table=tables.held_out_table, draw=held_out,
    ),
    FigureKind(
        name="latency-by-load", title="Latency against offered load", statistic=(
            "One-way latency per packet. Marks: median over the runs of each run's statistic, bars "
            "from the smallest to the largest. Line: mean by the queueing model."
        ), table=tables.latency_table, draw=latency_by_load,
    ),
    FigureKind(
        name="latency-by-accesses", title="Latency against memory accesses", statistic=(
            "One-way latency per packet, line rate offered. Marks: median over the runs of each "
            "run's statistic, bars from the smallest to the largest."
        ), table=tables.latency_by_accesses_table, draw=latency_by_accesses,
    ),
    FigureKind(
        name="cpu-by-load", title="CPU use against offered load", statistic=(
            "Marks: median of the repetitions, bars from the smallest to the largest. Line: "
            "offered load over fitted capacity."
        ), table=tables.cpu_by_load_table, draw=cpu_by_load,
    ),
    FigureKind(
        name="cpu-by-accesses", title="CPU use against memory accesses", statistic=(
            "Line rate offered. Marks: median of the repetitions, bars from the smallest to the "
            "largest. Lines: line rate over the fitted capacity of the cores."
        ), table=tables.cpu_by_accesses_table, draw=cpu_by_accesses,
    ),
)  # fmt: skip
FIGURES = (*CAPACITY_FIGURES, *STUDY_FIGURES)
"""In the order of the report."""

__all__ = [
    "FIGURES",
    "FigureKind",
    "cpu_by_accesses",
    "cpu_by_load",
    "held_out",
    "latency_by_accesses",
    "latency_by_load",
    "line_rate_map",
    "queue_scaling",
    "throughput_by_accesses",
    "throughput_by_frame_size",
]
