"""The bench of the XDP hooks in the nic lab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure import artifacts
from linerate.measure.bench import Bench, Timing
from linerate.measure.datapaths.xdp import DROPPING_PROGRAMS, AttachedProgram, attach_xdp
from linerate.measure.labs.nic import DeviceTimes, NicLab, NicSite, check_nic_cores, open_nic_lab
from linerate.measure.nic_table import NicTable
from linerate.measure.remote.protocol import GeneratorReport, Histogram, Start
from linerate.records import Latency, Trial

NIC_DATAPATHS = ("xdp_native", "xdp_generic")
"""Datapaths that the nic lab has a bench for."""


@contextmanager
def open_nic_bench(cell: Cell, site: NicSite) -> Iterator[Bench]:
    """Put a cell's program anew on an XDP hook of the interface that the user named."""
    with (
        open_nic_lab(site, cell.queues) as lab,
        attach_xdp(lab, cell) as program,
    ):
        lab.open_generator()

        def run(load: Load, timing: Timing) -> Trial:
            return _run_trial(lab, replace(cell, load=load), program, timing)

        yield Bench(program_hash=program.program_hash, run_trial=run)


def _run_trial(lab: NicLab, cell: Cell, program: AttachedProgram, timing: Timing) -> Trial:
    """Send once to warm up, then to count; the device is read in the silences around it."""
    if timing.warm_up_seconds:
        lab.site.generator.start(_start(cell, timing.warm_up_seconds))
    before = lab.look(program.dut_threads)
    report = lab.site.generator.start(_start(cell, timing.seconds))
    seen = lab.look(program.dut_threads) - before
    return replace(
        _trial(cell, report, seen),
        cpu_busy_ratios=_busy_ratios(report, seen),
        program_ns=program.program_ns,
        memory_bytes=program.table_bytes,
    )


def _start(cell: Cell, seconds: float) -> Start:
    return Start(load=cell.load, link_gbps=cell.link_gbps, seconds=seconds)


def _trial(cell: Cell, report: GeneratorReport, seen: DeviceTimes) -> Trial:
    dropping = cell.program in DROPPING_PROGRAMS
    return Trial(
        duration_s=report.duration_ns / 1e9,
        intended_packets=report.intended,
        sent_packets=report.sent,
        # A program that drops all sends nothing back: what the device took in is its rate.
        forwarded_packets=min(seen.counts.rx_packets, report.sent) if dropping else report.received,
        forwarded_from="dut_rx_packets" if dropping else "sink",
        dropped={"dut_ring": seen.counts.rx_lost, "dut_tx": seen.counts.tx_lost},
        latency=_latency(report.latency),
        contended_ratio=max(
            report.contended_ratio, max(seen.wait_ns, default=0) / report.duration_ns
        ),
        remarks=report.remarks,
    )


def _busy_ratios(report: GeneratorReport, seen: DeviceTimes) -> tuple[float, ...]:
    if seen.wait_ns:  # of threads, whose run time is exact
        return tuple(min(1.0, run / report.duration_ns) for run in seen.used_ns)
    return tuple(min(1.0, max(0.0, 1.0 - idle / report.duration_ns)) for idle in seen.used_ns)


def _latency(histogram: Histogram | None) -> Latency | None:
    if histogram is None or not histogram.buckets:
        return None
    return Latency(
        lower_ns=tuple(lower_ns for lower_ns, _ in histogram.buckets),
        counts=tuple(count for _, count in histogram.buckets),
        sum_ns=histogram.sum_ns,
        max_ns=histogram.max_ns,
        taken=histogram.taken,
    )


def check_nic_cell(cell: Cell, table: NicTable) -> None:
    """Refuse, before anything is measured, what the nic lab does not have.

    Raises
    ------
    BadInputError
        A datapath without a bench there, echo requests, or more queues than cores.
    CannotHereError
        A runner or program is not built.
    """
    if cell.datapath not in NIC_DATAPATHS:
        raise bad_input(
            "datapath", cell.datapath, why="the nic lab has no bench for it yet",
            allowed=", ".join(NIC_DATAPATHS), do="leave it out, or use the veth lab",
        )  # fmt: skip
    if cell.load.generator != "live_frames" or cell.load.pings_per_second:
        raise bad_input(
            "generator", cell.load.generator, why="in the nic lab the [nic] table names what "
            "sends, and nothing else does", allowed="no generator and no pings_per_second",
            do="leave them out",
        )  # fmt: skip
    check_nic_cores(table, cell.queues)
    table.kind.check(cell.load, tuple(table.generator_cores))
    artifacts.runner("xdp_dut")
    artifacts.program_object(cell.program)
