"""What each figure draws, as a table: every statistic is taken here, none while drawing."""

from __future__ import annotations

from linerate.reports.tables.cells import LeftOut
from linerate.reports.tables.cpu import cpu_by_accesses_table, cpu_by_load_table
from linerate.reports.tables.heldout import held_out_table
from linerate.reports.tables.latency import latency_table
from linerate.reports.tables.line_rate import line_rate_table
from linerate.reports.tables.throughput import (
    scaling_table,
    throughput_by_accesses_table,
    throughput_by_frame_size_table,
)

__all__ = [
    "LeftOut",
    "cpu_by_accesses_table",
    "cpu_by_load_table",
    "held_out_table",
    "latency_table",
    "line_rate_table",
    "scaling_table",
    "throughput_by_accesses_table",
    "throughput_by_frame_size_table",
]
