"""Pipelines of SWX between two hosts: on the interface that the user named, or on a card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.nic.trial import NicDut, count_far, far_latency, send_far, warm_up
from linerate.measure.datapaths.swx.bench import ProgramOf, check_pipeline
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.lcores import DpdkCores
from linerate.measure.datapaths.swx.outside import lost_in_pipeline, useful_shares
from linerate.measure.datapaths.swx.runner import SwxReport, SwxRunner, run_pipeline
from linerate.measure.datapaths.swx.settings import settings_of
from linerate.measure.labs.card import check_card
from linerate.measure.labs.nic import NicLab, NicSite, spare_core
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.trial import stated
from linerate.measure.tuning import foreseen
from linerate.records import Trial

PORTS = ("af_xdp", "pci")
"""Ports whose packets come from another host."""


@contextmanager
def put_pipeline(lab: NicLab, cell: Cell, program: PipelineText) -> Iterator[NicDut]:
    """Run a pipeline on sockets of the device; its lcores share the cores of the queues."""
    with (
        # DPDK attaches a program that stays when its process ends.
        foreseen(lab.interface, "xdp_program", "DPDK's"),
        run_pipeline(program, settings_of(cell), cell.queues, lab=lab) as runner,
    ):
        threads = (*lab.start_dut_threads(), *runner.threads)

        def run(cell: Cell, timing: Timing) -> Trial:
            counted: list[SwxReport] = []
            far = send_far(lab, cell, timing, threads, _counted(runner, counted))
            (counts,) = counted
            return replace(
                far.trial(),
                dropped=lost_in_pipeline(far.dropped, counts),
                cpu_busy_ratios=useful_shares(counts, far.duration_ns, counts.worker_wait_ns),
            )

        yield NicDut(program_hash=program.content_hash, run_trial=run, processes=(runner.held,))


@contextmanager
def _counted(runner: SwxRunner, counted: list[SwxReport]) -> Iterator[None]:
    runner.since_last()  # the warm-up
    yield
    counted.append(runner.since_last())


@contextmanager
def open_card_bench(cell: Cell, site: NicSite, program: PipelineText) -> Iterator[Bench]:
    """Run a pipeline on the card that the campaign names; the kernel has no part in it."""
    cores = site.table.cores
    lcores = DpdkCores(main=spare_core(cores), workers=tuple(cores[: cell.queues]))
    with run_pipeline(program, settings_of(cell), lcores) as runner:
        site.open_generator()

        def run(load: Load, timing: Timing) -> Trial:
            return run_card_trial(site, replace(cell, load=load), runner, timing)

        yield Bench(program_hash=program.content_hash, run_trial=run, processes=(runner.held,))


def run_card_trial(site: NicSite, cell: Cell, runner: SwxRunner, timing: Timing) -> Trial:
    """Have a load sent to a card once; the pipeline counts what it lost of it."""
    warm_up(site, cell, timing)
    runner.since_last()
    report = count_far(site, cell, timing)
    counts = runner.since_last()
    trial = stated(
        replace(
            counts, duration_ns=report.duration_ns, intended=report.intended, sent=report.sent,
            received=report.received,
        ),
        cpu_busy_ratios=useful_shares(counts, report.duration_ns, counts.worker_wait_ns),
        wait_ns=max(counts.worker_wait_ns),
    )  # fmt: skip
    return replace(
        trial,
        latency=far_latency(report),
        contended_ratio=max(trial.contended_ratio, report.contended_ratio),
        remarks=report.remarks,
    )


def check_nic_pipeline(cell: Cell, table: NicTable, program_of: ProgramOf) -> None:
    """Refuse a pipeline that is not fed from another host, or not by the port named.

    Raises
    ------
    BadInputError
        Another kind of port, another card than the campaign's, or a program that DPDK refuses.
    CannotHereError
        DPDK or a runner is missing, or the card is the kernel's.
    """
    settings = settings_of(cell)
    if settings.port not in PORTS:
        raise bad_input(
            "port", settings.port, why="its packets come from this host",
            allowed=", ".join(PORTS), do="use the dpdk lab for it",
        )  # fmt: skip
    if settings.oversubscribed:
        raise bad_input(
            "oversubscribed", "true", why="in the nic lab each queue has a core of its own",
            allowed="false", do="leave it out",
        )  # fmt: skip
    if settings.port == "pci":
        check_card(settings.device)
        if settings.device != table.interface:
            raise bad_input(
                "device", settings.device, why=f"[nic] names {table.interface}",
                allowed="the same PCI address there, as interface", do="correct one of the two",
            )  # fmt: skip
    check_pipeline(cell, program_of)
