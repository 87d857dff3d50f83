"""DPDK's own application ``pipeline``, of the distribution's source package, driven by commands.

It takes its commands from a script, which is our pipe: its main thread sleeps between two of them,
and the TCP port that it opens after its script is never opened. It has a network namespace anyway.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import LinerateError, cannot_here
from linerate.measure.datapaths.swx.compiled import headers_folder
from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes.built import build_folder

_END = "; end"
"""A remark to it. It prints each line that it reads, so this one after the answers before it."""
_WORKER_THREAD = re.compile(r"(lcore|rte)-worker-1")
_MEMORY_MIB = 256


def application() -> Path:
    """Build the application where it is not built, and return its path.

    Raises
    ------
    CannotHereError
        Its source or what builds it is missing.
    """
    source = build_folder() / "dpdk/examples/pipeline"
    if not source.is_dir():
        raise cannot_here(
            str(source), why="the source of DPDK's pipeline application is not there; it comes "
            "with DPDK's internal headers", do="run `make setup` with network access",
        )  # fmt: skip
    done = subprocess.run(
        ["make", "-s", "-C", str(source)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise cannot_here(
            str(source), why=f"it cannot be built: {done.stderr.strip()[-200:]}",
            do="install gcc, make and libdpdk-dev; see `linerate doctor`",
        )  # fmt: skip
    return source / "build/pipeline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the application had done at one moment."""

    packets: int
    """Sent by its port 0."""
    held_s: float
    """Time that its worker had had its core."""


@dataclass(frozen=True, slots=True)
class Application:
    """The application, with one pipeline on one lcore."""

    _process: subprocess.Popen[str]

    def tell(self, command: str) -> str:
        """Give it a command, and return what it answers; most succeed without a word."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{command}\n{_END}\n")
        self._process.stdin.flush()
        output = []
        for line in self._process.stdout:
            if line.endswith(f"{_END}\n"):
                return "".join(output).replace(command, "", 1).strip() + line[: -len(_END) - 1]
            output.append(line)
        raise LinerateError(f"DPDK's pipeline application ended at: {command}")

    def order(self, *commands: str) -> None:
        """Give it commands that are to be answered by nothing."""
        for command in commands:
            answer = self.tell(command)
            if answer and not answer.startswith("Using DPDK source code"):
                raise LinerateError(f"DPDK's pipeline application: {command}: {answer}")

    def read(self) -> Reading:
        """Read its counter of packets, and the time its worker has had."""
        output = self.tell("pipeline PIPELINE0 stats")
        sent = re.search(r"Output ports:\s*Port 0: packets (\d+)", output)
        if not sent:
            raise LinerateError(f"DPDK's pipeline application: no count in {output!r:.200}")
        return Reading(packets=int(sent[1]), held_s=self._held_s())

    def _held_s(self) -> float:
        """Time that its worker has had its core; exact, for the command took that just now."""
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            if _WORKER_THREAD.match((task / "comm").read_text()):
                return int((task / "schedstat").read_text().split()[0]) / 1e9
        raise LinerateError("DPDK's pipeline application: it has no worker thread")


@contextmanager
def run_application(spec: str, folder: Path, core: int) -> Iterator[Application]:
    """Run a pipeline on generated frames of 64 bytes with FCS; it compiles them itself.

    Parameters
    ----------
    spec
        Text of the pipeline.
    folder
        Where it puts what it makes; what is there already is used again.
    core
        Where the pipeline runs; it takes commands there too, and sleeps between them.

    Raises
    ------
    CannotHereError
        The application cannot be had.
    LinerateError
        It refuses something.
    """
    library = folder / "program.so"
    (folder / "ports.io").write_text(
        "port in 0 ethdev net_null0 rxq 0 bsz 32\nport out 0 ethdev net_null0 txq 0 bsz 32\n"
    )
    with Namespace.create() as space, _started(space, core) as running:
        if not library.is_file():
            (folder / "program.spec").write_text(spec)
            running.order(
                f"pipeline codegen {folder}/program.spec {folder}/program.c",
                f"pipeline libbuild {folder}/program.c {library}",
            )
        running.order(  # as in its examples
            "mempool MEMPOOL0 buffer 2304 pool 32K cache 256 cpu 0",
            "ethdev net_null0 rxq 1 128 MEMPOOL0 txq 1 512 promiscuous off",
            f"pipeline PIPELINE0 build lib {library} io {folder}/ports.io numa 0",
            "pipeline PIPELINE0 commit",
            "thread 1 pipeline PIPELINE0 enable",
        )
        yield running


@contextmanager
def _started(space: Namespace, core: int) -> Iterator[Application]:
    include = Path("/usr/include")
    environment = {
        # Its compiler looks where DPDK's source tree has its headers; here they are installed.
        "C_INCLUDE_PATH": ":".join(map(str, [headers_folder(), *include.glob("**/dpdk")])),
        "RUNTIME_DIRECTORY": "/dev/null",
    }
    argv = [
        "setpriv", "--pdeathsig", "KILL", *space.argv(["stdbuf", "-oL", application()]),
        "--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "--log-level=error",
        "-m", str(_MEMORY_MIB), "--lcores", f"0@{core},1@{core}",
        "--vdev=net_null0,size=60", "--", "-s", "/dev/stdin",
    ]  # fmt: skip
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True, env=os.environ | environment,
    )  # fmt: skip
    try:
        yield Application(process)
    finally:
        process.kill()  # before its script ends: then it would listen
        process.communicate()
