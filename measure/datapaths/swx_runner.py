"""A pipeline that is up: the process that runs it, and how it is asked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from linerate.cells import PipelineSettings
from linerate.errors import BadInputError, CannotHereError, LinerateError
from linerate.measure import artifacts
from linerate.measure.datapaths.swx_program import PipelineText, compile_program
from linerate.measure.generators.live_frames import LatencyCounts, last_words
from linerate.measure.labs.dpdk import GENERATED_PORTS, place_lcores

_STOP_SECONDS = 5.0
_QUANTUM_INSTRUCTIONS = 128
"""Instructions between two flushes of packets that are not a full burst yet: some microseconds.
Where packets come from nowhere there is no latency to spoil, and it is DPDK's own 1000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwxReport:
    """What the runner counted in the measured window."""

    duration_ns: int
    intended: int
    sent: int
    received: int
    dropped: dict[str, int]
    useful_ratios: tuple[float, ...]
    """Of each instance, the share of its time not spent on looking at an empty port."""
    worker_wait_ns: tuple[int, ...]
    """Time each instance was ready while another thread held its core."""
    generator_wait_ns: int
    latency: LatencyCounts | None = None


_REPORT = TypeAdapter(SwxReport)


@dataclass(frozen=True, slots=True)
class SwxRunner:
    """A pipeline that is up."""

    _process: subprocess.Popen[str]

    def ask(self, line: str) -> dict[str, Any]:
        """Give the runner a line and read its answer.

        Raises
        ------
        LinerateError
            It did not like it, or has ended.
        """
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self.failure() from None
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Read one line that the runner prints."""
        assert self._process.stdout
        said = self._process.stdout.readline()
        if not said.endswith("\n"):
            raise self.failure()
        answer: dict[str, Any] = json.loads(said)
        return answer

    def trial(self, flags: list[str]) -> SwxReport:
        """Offer a load once."""
        answer = self.ask(" ".join(["trial", *flags]))
        try:
            return _REPORT.validate_python(answer)
        except ValidationError as error:
            raise LinerateError(f"swx: its answer cannot be read: {answer!r:.200}") from error

    def failure(self) -> LinerateError:
        """Say why the runner has ended, in its own words."""
        code = self._process.wait(_STOP_SECONDS)
        words = last_words(self._process.stderr.read()) if self._process.stderr else ""
        kind = {2: BadInputError, 4: CannotHereError}.get(code, LinerateError)
        return kind(f"swx: {words or f'the runner ended with {code}'}")


@contextmanager
def run_pipeline(
    program: PipelineText, settings: PipelineSettings, lcores: int, flags: tuple[str, ...] = ()
) -> Iterator[SwxRunner]:
    """Compile a pipeline and run it on cores of its own until the context ends, or this process.

    Parameters
    ----------
    program
        What runs.
    settings, lcores
        How, and on how many cores.
    flags
        Further flags of the runner.
    """
    library = compile_program(program)
    with ExitStack() as stack:
        tables = [(name, _nameless_file(stack, entries)) for name, entries in program.tables]
        process = subprocess.Popen(
            [*_argv(library, settings, lcores), *_table_flags(tables), *flags],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True, pass_fds=[fd for _, fd in tables],
        )  # fmt: skip
        stack.callback(_stop, process)
        runner = SwxRunner(process)
        runner.answer()  # it is up, and has read its tables
        yield runner


def _argv(library: Path, settings: PipelineSettings, lcores: int) -> list[str]:
    cores = place_lcores(settings, lcores)
    argv = [
        str(artifacts.runner("swx_run")), "--library", str(library),
        "--port", settings.port.removeprefix("net_"),
        "--main-core", str(cores.main), "--worker-cores", ",".join(map(str, cores.workers)),
        "--burst-packets", str(settings.burst_packets),
    ]  # fmt: skip
    if settings.port in GENERATED_PORTS:
        argv += ["--quantum-instructions", str(_QUANTUM_INSTRUCTIONS)]
    if settings.memory_channels:
        argv += ["--memory-channels", str(settings.memory_channels)]
    argv += ["--hugepages"] if settings.hugepages else []
    return [*argv, "--oversubscribe"] if settings.oversubscribed else argv


def _nameless_file(stack: ExitStack, text: str) -> int:
    """Keep a text where the runner can read it, and nothing of it stays if both are killed."""
    fd = os.memfd_create("linerate-table")
    stack.callback(os.close, fd)
    Path(f"/proc/self/fd/{fd}").write_text(text)
    return fd


def _table_flags(tables: list[tuple[str, int]]) -> Iterator[str]:
    for name, fd in tables:
        yield from ("--table", f"{name}=/proc/self/fd/{fd}")


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
