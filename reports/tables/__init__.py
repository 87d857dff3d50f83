"""What each figure draws, as a table: every statistic is taken here, none while drawing."""

from __future__ import annotations

from linerate.reports.tables.cells import LeftOut
from linerate.reports.tables.chains import chain_rate_table, chain_rtt_table
from linerate.reports.tables.cpu import cpu_by_accesses_table, cpu_by_load_table
from linerate.reports.tables.filters import (
    filters_ping_table,
    filters_rate_table,
    filters_table,
)
from linerate.reports.tables.heldout import held_out_table
from linerate.reports.tables.latency import latency_by_accesses_table, latency_table
from linerate.reports.tables.line_rate import line_rate_table
from linerate.reports.tables.operation_costs import cost_table, mixes_table
from linerate.reports.tables.operations import (
    operation_costs,
    operations_by_kind_table,
    operations_by_working_set_table,
)
from linerate.reports.tables.pipelines import (
    pipeline_bursts_table,
    pipeline_lcores_table,
    pipeline_operations_table,
    pipeline_sizes_table,
    rates_table,
)
from linerate.reports.tables.searches import curve_table, frame_loss_table, searches_table
from linerate.reports.tables.sockets import af_xdp_settings_table
from linerate.reports.tables.throughput import (
    scaling_table,
    throughput_by_accesses_table,
    throughput_by_frame_size_table,
)

__all__ = [
    "LeftOut",
    "af_xdp_settings_table",
    "chain_rate_table",
    "chain_rtt_table",
    "cost_table",
    "cpu_by_accesses_table",
    "cpu_by_load_table",
    "curve_table",
    "filters_ping_table",
    "filters_rate_table",
    "filters_table",
    "frame_loss_table",
    "held_out_table",
    "latency_by_accesses_table",
    "latency_table",
    "line_rate_table",
    "mixes_table",
    "operation_costs",
    "operations_by_kind_table",
    "operations_by_working_set_table",
    "pipeline_bursts_table",
    "pipeline_lcores_table",
    "pipeline_operations_table",
    "pipeline_sizes_table",
    "rates_table",
    "scaling_table",
    "searches_table",
    "throughput_by_accesses_table",
    "throughput_by_frame_size_table",
]
