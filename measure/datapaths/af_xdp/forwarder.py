"""AF_XDP sockets: an XDP program redirects each frame to a thread that sends it back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from linerate.cells import Cell, Load
from linerate.errors import bad_input
from linerate.measure.collectors.point import ProbePoint
from linerate.measure.datapaths.af_xdp.settings import (
    BATCH_PACKETS_MAX,
    SocketSettings,
    settings_of,
)
from linerate.measure.datapaths.af_xdp.veth import Forwarder, run_af_xdp_trial
from linerate.measure.generators.partner import Partner
from linerate.measure.labs.device import DeviceLab
from linerate.measure.labs.veth import VethLab, check_cores, open_veth_lab
from linerate.measure.processes import built
from linerate.measure.processes.held import hold_process
from linerate.measure.trials.bench import Bench, Timing
from linerate.records import Trial

RUNNER = "xsk_forward"
OBJECT = "xsk_redirect"

BUSY_POLL_KNOBS = {"napi_defer_hard_irqs": "2", "gro_flush_timeout_ns": "200000"}
"""While a thread polls within 200 us the device raises no interrupt: the values of the kernel's
own documentation (networking/napi.rst, "IRQ mitigation")."""


def check_af_xdp(cell: Cell) -> None:
    """Refuse, before anything is measured, what no socket can do.

    Raises
    ------
    BadInputError
        Settings that exclude each other, or more queues than there are cores for.
    CannotHereError
        A runner or the redirecting program is not built.
    """
    check_cores(cell.mode, cell.queues)
    check_sockets(cell)
    settings = settings_of(cell)
    if cell.queues > 1 and settings.hook == "generic":
        raise bad_input(
            "queues", cell.queues, why="to the generic hook of a veth every redirected frame is "
            "of queue 0, so that one socket gets all of them",
            allowed='1, or hook = "native"', do="correct one of the two",
        )  # fmt: skip
    if settings.busy_poll and cell.mode == "serial":
        raise bad_input(
            "busy_poll", "true", why="a thread that never sleeps leaves the generator no turn",
            allowed='mode = "split" with it', do="correct one of the two",
        )  # fmt: skip
    built.runner("traffic")


def check_sockets(cell: Cell) -> None:
    """Refuse the same of sockets in any lab.

    Raises
    ------
    BadInputError
        Settings that exclude each other.
    CannotHereError
        The runner or the redirecting program is not built.
    """
    settings = settings_of(cell)
    if not 1 <= settings.batch_packets <= BATCH_PACKETS_MAX:
        raise bad_input(
            "batch_packets", settings.batch_packets, why="a thread cannot take so many at once",
            allowed=f"1..{BATCH_PACKETS_MAX}", do="correct it",
        )  # fmt: skip
    if settings.busy_poll and settings.hook == "generic":
        raise bad_input(
            "busy_poll", "true", why="the generic hook does not say which NAPI to poll",
            allowed='hook = "native" with it', do="correct one of the two",
        )  # fmt: skip
    built.runner(RUNNER)
    built.program_object(OBJECT)


@contextmanager
def open_af_xdp_bench(cell: Cell) -> Iterator[Bench]:
    """Put sockets and the threads that serve them on the device of the veth lab.

    The threads share the cores of the device's queues with its NAPI, so that a cell has as many
    cores on every machine as it has queues.

    Raises
    ------
    BadInputError
        Settings that exclude each other.
    CannotHereError
        The kernel or driver does not support them, or rights are missing.
    LinerateError
        Set-up failed.
    """
    check_af_xdp(cell)
    with (
        open_veth_lab(cell.mode, cell.queues, gro=settings_of(cell).hook == "generic") as lab,
        forward(lab, cell) as forwarder,
    ):
        if settings_of(cell).busy_poll:
            _defer_interrupts(lab)

        def run(load: Load, timing: Timing) -> Trial:
            return run_af_xdp_trial(lab, replace(cell, load=load), forwarder, timing)

        yield Bench(
            program_hash=program_hash(), run_trial=run, processes=(forwarder.runner,),
            probe_point=ProbePoint.of_lab(lab, polled=True),
        )  # fmt: skip


@contextmanager
def forward(lab: DeviceLab, cell: Cell) -> Iterator[Forwarder]:
    """Run the forwarder on the lab's device until the context ends, or this process does."""
    does = ["--memory-accesses", str(cell.memory_accesses)]
    with run_forwarder(lab, settings_of(cell), does) as forwarder:
        yield forwarder


@contextmanager
def run_forwarder(
    lab: DeviceLab, settings: SocketSettings, does: Sequence[str | Path]
) -> Iterator[Forwarder]:
    """Run it likewise.

    Parameters
    ----------
    lab, settings
        On which device, and how its sockets are fed and read.
    does
        Options of the runner that say what is done to packets.
    """
    with ExitStack() as stack:
        wake_fds = tuple(_event_counter(stack) for _ in lab.dut_cores if lab.mode == "serial")
        argv = lab.dut.argv([*_argv(lab, settings, wake_fds), *does])
        runner = stack.enter_context(
            hold_process("af_xdp", argv, pass_fds=wake_fds, under_test=True)
        )
        napi_threads = lab.start_dut_threads()
        yield Forwarder(
            threads=tuple(json.loads(runner.first)["threads"]),
            napi_threads=napi_threads,
            settings=settings,
            partner=Partner(process=runner, wake_fds=wake_fds),
            runner=runner,
        )


def _event_counter(stack: ExitStack) -> int:
    counter = os.eventfd(0)
    stack.callback(os.close, counter)
    return counter


def _argv(lab: DeviceLab, settings: SocketSettings, wake_fds: tuple[int, ...]) -> list[str | Path]:
    threads = 1 if settings.sockets == "queue_0" else lab.queues
    argv: list[str | Path] = [
        built.runner(RUNNER), "--object", built.program_object(OBJECT),
        "--dev", lab.dut_device, "--cores", _listed(lab.dut_cores[:threads]),
        "--hook", settings.hook, "--sockets", settings.sockets,
        "--batch-packets", str(settings.batch_packets),
    ]  # fmt: skip
    if wake_fds:
        argv += ["--wake-fds", _listed(wake_fds[:threads])]
    argv += ["--zero-copy"] if settings.zero_copy else []
    argv += ["--need-wakeup"] if settings.need_wakeup else []
    return [*argv, "--busy-poll"] if settings.busy_poll else argv


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def _defer_interrupts(lab: VethLab) -> None:
    for knob, value in BUSY_POLL_KNOBS.items():
        file = lab.dut.sys_class_net(lab.dut_device) / knob.removesuffix("_ns")
        file.write_text(value)


def program_hash() -> str:
    """Hash of what runs, in the kernel and out of it: eight digits each."""
    parts = (built.program_object(OBJECT), built.runner(RUNNER))
    return "".join(built.content_hash(path)[:8] for path in parts)
