"""P4 programs on the SWX pipeline of DPDK, compiled, on lcores of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.lcores import check_hugepages, place_lcores
from linerate.measure.datapaths.swx.load import check_load, load_flags, null_flags
from linerate.measure.datapaths.swx.outside import run_veth_trial, watch_card
from linerate.measure.datapaths.swx.runner import SwxReport, SwxRunner, compiled, run_pipeline
from linerate.measure.datapaths.swx.settings import BURST_PACKETS_MAX, PipelineSettings, settings_of
from linerate.measure.labs.card import check_card
from linerate.measure.labs.cpu_times import lasting_wait_ns
from linerate.measure.labs.veth import VethLab, check_cores, open_veth_lab
from linerate.measure.processes import built
from linerate.measure.trials.bench import Bench, Timing
from linerate.measure.trials.trial import stated
from linerate.records import Trial

RUNNERS = ("swx_build", "swx_run")
_GRACE_SECONDS = 30.0

ProgramOf = Callable[[Cell], PipelineText]
"""Makes a cell's program: its pipeline and the entries of its tables."""


def check_swx(cell: Cell, program_of: ProgramOf) -> None:
    """Refuse, before anything is measured, what no pipeline here can do; compile the program.

    Raises
    ------
    BadInputError
        More lcores than cores, packets that the port does not have, or a card that is none.
    DeviceFailedError
        DPDK or the compiler refuses the program.
    CannotHereError
        DPDK, its internal headers, a compiler or a runner is missing, or the card is the
        kernel's.
    """
    _check_port(cell, settings_of(cell))
    check_pipeline(cell, program_of)


def check_pipeline(cell: Cell, program_of: ProgramOf) -> None:
    """Refuse the same of a pipeline, whatever port it is on.

    Raises
    ------
    BadInputError
        Packets that the port does not have.
    DeviceFailedError
        DPDK or the compiler refuses the program.
    CannotHereError
        DPDK, its internal headers, a compiler or a runner is missing.
    """
    settings = settings_of(cell)
    for name in RUNNERS:
        built.runner(name)
    check_hugepages(settings)
    if not 1 <= settings.burst_packets <= BURST_PACKETS_MAX:
        raise bad_input(
            "burst_packets", settings.burst_packets, why="a port cannot take so many at once",
            allowed=f"1..{BURST_PACKETS_MAX}", do="correct it",
        )  # fmt: skip
    check_load(cell.load, settings)
    compiled(program_of(cell))


def _check_port(cell: Cell, settings: PipelineSettings) -> None:
    if settings.port == "pci":
        check_card(settings.device)
    elif settings.device:
        raise bad_input(
            "device", settings.device, why=f"port {settings.port} has no card",
            allowed='a PCI address, with port = "pci"', do="leave it out",
        )  # fmt: skip
    if settings.port != "af_xdp":
        place_lcores(settings, cell.queues)
        return
    check_cores("split", cell.queues)
    built.runner("traffic")
    if settings.oversubscribed:
        raise bad_input(
            "oversubscribed", "true", why="on the veth lab each queue has a core of its own",
            allowed="false with port af_xdp", do="leave it out",
        )  # fmt: skip


@contextmanager
def open_swx_bench(cell: Cell, program_of: ProgramOf) -> Iterator[Bench]:
    """Load a cell's program anew on its lcores.

    Raises
    ------
    BadInputError
        What `check_swx` refuses.
    DeviceFailedError
        The program cannot be built, or does not take an entry of its tables.
    CannotHereError
        DPDK or hugepages are missing.
    LinerateError
        Set-up failed.
    """
    check_swx(cell, program_of)
    program, settings = program_of(cell), settings_of(cell)
    flags = null_flags(cell.load) if settings.port == "net_null" else ()
    with ExitStack() as stack:
        lab = None
        if settings.port == "af_xdp":
            lab = stack.enter_context(open_veth_lab("split", cell.queues, gro=False))
        runner = stack.enter_context(run_pipeline(program, settings, cell.queues, flags, lab))

        def run(load: Load, timing: Timing) -> Trial:
            check_load(load, settings)
            return _run_trial(replace(cell, load=load), runner, lab, timing)

        yield Bench(program_hash=program.content_hash, run_trial=run, processes=(runner.held,),
                    lcores=runner.cores)  # fmt: skip


def _run_trial(cell: Cell, runner: SwxRunner, lab: VethLab | None, timing: Timing) -> Trial:
    if lab:
        return run_veth_trial(lab, cell, runner, timing)
    if settings_of(cell).port == "pci":
        return watch_card(cell.load, runner, timing)
    limit_s = timing.warm_up_seconds + timing.seconds + _GRACE_SECONDS
    return trial_of(runner.trial(load_flags(cell.load, timing), limit_s))


def trial_of(report: SwxReport) -> Trial:
    """State what was counted; a busy core is one that did not look in vain."""
    times = zip(report.worker_run_ns, report.worker_wait_ns, strict=True)
    waits = (lasting_wait_ns(report.duration_ns, *of_one) for of_one in times)
    wait_ns = max(report.generator_wait_ns, *waits)
    trial = stated(report, cpu_busy_ratios=report.useful_ratios, wait_ns=wait_ns)
    return replace(trial, began_ns=report.began_ns, stretches_ns=report.stretches_ns)
