"""A pipeline that is up: the process that runs it, and how it is asked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program, sha256_file
from linerate.measure.datapaths.swx.lcores import DpdkCores, lcores_of_lab, place_lcores
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.generators.live_frames import LatencyCounts
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process
from linerate.measure.trials.device import failures_are_results

TRIAL_SECONDS_MAX = 60.0
_QUANTUM_INSTRUCTIONS = {"ring": 128, "memif": 128, "af_xdp": 32}
"""Instructions between two flushes of packets that are not a full burst yet: some microseconds,
where a look at an empty socket is a system call. Where net_null generates packets there is no
latency to spoil, and where they come from a card most bursts are full: it is DPDK's own 1000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwxReport:
    """What the runner counted in the measured window."""

    began_ns: int = 0
    """When the window began, by the monotonic clock; 0 where that is not reported."""
    duration_ns: int
    intended: int
    sent: int
    received: int
    dropped: dict[str, int]
    useful_ratios: tuple[float, ...]
    """Of each instance, the share of its time not spent on looking at an empty port; empty where
    it is not known."""
    worker_run_ns: tuple[int, ...]
    worker_wait_ns: tuple[int, ...]
    """Time each instance was ready while another thread held its core."""
    generator_wait_ns: int
    latency: LatencyCounts | None = None
    stretches_ns: tuple[tuple[float, ...], ...] = ()
    """Of each instance: quantiles of the time of a packet over stretches; empty where packets come
    from elsewhere than its lcore."""


_REPORT = TypeAdapter(SwxReport)


@dataclass(frozen=True, slots=True)
class SwxRunner:
    """A pipeline that is up."""

    held: HeldProcess
    cores: tuple[int, ...]
    """Cores of the pipeline's instances."""

    @property
    def threads(self) -> tuple[int, ...]:
        """Process ids of the instances' threads."""
        return tuple(json.loads(self.held.first)["threads"])

    def ask(self, line: str) -> dict[str, Any]:
        """Give the runner a line and read its answer.

        Raises
        ------
        LinerateError
            It did not like it, or has ended.
        """
        answer: dict[str, Any] = json.loads(self.held.ask(line))
        return answer

    def trial(self, flags: list[str], limit_s: float = TRIAL_SECONDS_MAX) -> SwxReport:
        """Offer a load once, which is over before ``limit_s``."""
        return self._report(self.held.ask(" ".join(["trial", *flags]), limit_s))

    def since_last(self) -> SwxReport:
        """Count what came from outside since this was last asked, or since it is up."""
        return self._report(self.held.ask(""))

    def marked(self) -> SwxReport:
        """Read the same where somebody else asked for it, by an empty line."""
        return self._report(self.held.answer())

    def _report(self, line: str) -> SwxReport:
        return self.held.parse(_REPORT, line)


def compiled(program: PipelineText) -> Path:
    """Compile a pipeline; one that cannot be built is a device that does not start.

    Raises
    ------
    DeviceFailedError
        DPDK or the compiler refuses it.
    CannotHereError
        DPDK's headers, the compiler or the runner is missing.
    """
    with failures_are_results():
        try:
            return compile_program(program)
        except BadInputError as error:
            raise DeviceFailedError(str(error)) from error


@contextmanager
def run_pipeline(
    program: PipelineText,
    settings: PipelineSettings,
    lcores: int | DpdkCores,
    flags: tuple[str, ...] = (),
    lab: DeviceLab | None = None,
) -> Iterator[SwxRunner]:
    """Compile a pipeline and run it on cores of its own until the context ends, or this process.

    Parameters
    ----------
    program
        What runs.
    settings, lcores
        How, and on how many cores, or on which.
    flags
        Further flags of the runner.
    lab
        Whose device port ``af_xdp`` is; it has the cores, too.
    """
    library = compiled(program)
    with ExitStack() as stack:
        tables = [(name, _nameless_file(stack, entries)) for name, entries in program.tables]
        cores = _placed(settings, lcores, lab)
        argv = [
            *_argv(library, settings, cores),
            *_memory_flags(program.memory_mib(len(cores.workers))),
            "--last-port",
            str(program.last_port),
            *_table_flags(tables),
            *flags,
        ]
        if lab:
            argv = lab.dut.argv([*argv, "--device", lab.dut_device], pins=True)
        fds = [fd for _, fd in tables]
        yield SwxRunner(
            stack.enter_context(hold_process("swx", argv, pass_fds=fds, under_test=True)),
            cores=tuple(dict.fromkeys(cores.workers)),
        )


def _placed(
    settings: PipelineSettings, lcores: int | DpdkCores, lab: DeviceLab | None
) -> DpdkCores:
    if isinstance(lcores, DpdkCores):
        return lcores
    return lcores_of_lab(lab) if lab else place_lcores(settings, lcores)


def _argv(library: Path, settings: PipelineSettings, cores: DpdkCores) -> list[str]:
    argv = [
        str(built.runner("swx_run")), "--library", str(library),
        "--library-sha256", sha256_file(library).read_text(encoding="ascii"),
        "--port", settings.port.removeprefix("net_"),
        "--main-core", str(cores.main), "--worker-cores", ",".join(map(str, cores.workers)),
        "--burst-packets", str(settings.burst_packets),
    ]  # fmt: skip
    if settings.port in _QUANTUM_INSTRUCTIONS:
        argv += ["--quantum-instructions", str(_QUANTUM_INSTRUCTIONS[settings.port])]
    if settings.memory_channels:
        argv += ["--memory-channels", str(settings.memory_channels)]
    argv += ["--device", settings.device] if settings.device else []
    argv += ["--hugepages"] if settings.hugepages else []
    return [*argv, "--oversubscribe"] if settings.oversubscribed else argv


def _memory_flags(mib: int) -> list[str]:
    """Ask for memory; what the machine does not have is refused before DPDK is killed for it.

    Raises
    ------
    DeviceFailedError
        The machine has not so much.
    """
    free_mib = _available_mib()
    if mib > free_mib:
        raise DeviceFailedError(
            f"memory={mib} MiB: the pipeline keeps so much in tables, selectors, registers and "
            f"meters; allowed: {free_mib} MiB, what is free here; make these smaller, or run "
            "fewer instances"
        )
    return ["--memory-mib", str(mib)]


def _available_mib() -> int:
    found = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return int(found[1]) >> 10 if found else 0


def _nameless_file(stack: ExitStack, text: str) -> int:
    """Keep a text where the runner can read it, and nothing of it stays if both are killed."""
    fd = os.memfd_create("linerate-table")
    stack.callback(os.close, fd)
    Path(f"/proc/self/fd/{fd}").write_text(text)
    return fd


def _table_flags(tables: list[tuple[str, int]]) -> Iterator[str]:
    for name, fd in tables:
        yield from ("--table", f"{name}=/proc/self/fd/{fd}")
