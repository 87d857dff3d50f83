"""``linerate scheduler`` and ``linerate worker``: a lab's boxes and campaigns come together."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Coroutine
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import stderr
from linerate.cli.stopping import STOPPED
from linerate.errors import bad_input, cannot_here

if TYPE_CHECKING:
    from linerate.measure.boxes.serving import Listening

EXTRA = "pip install 'linerate[boxes]'"
SCHEDULER_EXAMPLES = """
Examples:
  linerate scheduler lab.toml
  linerate scheduler lab.toml --listen 10.0.0.1:8786
"""
WORKER_EXAMPLES = """
Examples:
  sudo linerate worker rack1-a --lab lab.toml --scheduler tcp://10.0.0.1:8786 --listen 10.0.0.11
  sudo linerate worker here --lab lab.toml --scheduler tcp://127.0.0.1:8786
"""
ListenOption = Annotated[
    str, typer.Option("--listen", help="Address of this machine to listen at, HOST or HOST:PORT.")
]


def need_dask() -> None:
    """Refuse where Dask is not installed."""
    if find_spec("distributed") is None:
        raise cannot_here(
            "boxes", why="several boxes are brought together by Dask, which is not installed",
            do=f"get it by: {EXTRA}",
        )  # fmt: skip


def scheduler(
    lab: Annotated[Path, typer.Argument(help="Lab file (TOML).", show_default=False)],
    listen: ListenOption = "127.0.0.1:8786",
) -> None:
    """Bring the boxes of a lab and its campaigns together, until it is stopped.

    The first start makes the lab's keys, a token and a certificate, in a folder beside the lab
    file: copy it to each box and to where campaigns are started. Nothing else is listened to.
    """
    need_dask()
    from linerate.measure.boxes.lab_file import read_lab
    from linerate.measure.boxes.serving import serve_scheduler

    _run(serve_scheduler(read_lab(lab), _listening(listen), stderr.print))


def worker(
    box: Annotated[
        str, typer.Argument(help="Name of this box in the lab file.", show_default=False)
    ],
    lab: Annotated[Path, typer.Option("--lab", help="Lab file (TOML).")],
    scheduler: Annotated[
        str, typer.Option("--scheduler", help="Address of the scheduler, tcp://HOST:PORT.")
    ],
    listen: ListenOption = "127.0.0.1",
    spool: Annotated[
        Path | None,
        typer.Option("--spool", help="Folder for trials that no campaign has taken yet."),
    ] = None,
) -> None:
    """Measure on this machine what campaigns of a lab ask for, until it is stopped.

    Each finished trial is kept here until its campaign has it; what no campaign came back for is
    named at the start. Testbeds that share a machine take turns.
    """
    need_dask()
    from linerate.measure.boxes.lab_file import read_lab
    from linerate.measure.boxes.serving import Served, serve_worker
    from linerate.measure.boxes.testbed import Testbed, spool_of

    read = read_lab(lab)
    testbed = Testbed(name=read.known(box), spool=spool or spool_of(box))
    _see_to_left(testbed.spool, read.table.drop_after_days)
    served = Served(lab=read, testbed=testbed, scheduler=scheduler, listening=_listening(listen))
    _run(serve_worker(served, stderr.print))


def _see_to_left(spool: Path, drop_after_days: float | None) -> None:
    """Name or drop what was measured for campaigns that never came back for it."""
    from linerate.measure.boxes.left import NAMED_AFTER_DAYS, drop, left_behind

    for left in left_behind(spool, drop_after_days or NAMED_AFTER_DAYS, time.time()):
        if drop_after_days is None:
            stderr.print(f"No campaign came back for {left.words}. linerate measure --resume takes "
                         "it; the lab file's drop_after_days drops it")  # fmt: skip
        else:
            drop(left)
            stderr.print(f"Dropped {left.words}")


def _listening(text: str) -> Listening:
    from linerate.measure.boxes.serving import Listening

    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, "0"
    if not host or not port.isdigit() or int(port) > 65535:
        raise bad_input("listen", text, why="it is not an address", allowed="HOST or HOST:PORT",
                        do="name an address of this machine")  # fmt: skip
    return Listening(host=host, port=int(port))


def _run(serving: Coroutine[object, object, None]) -> None:
    """Serve until asked to stop; a trial that runs then ends with this process, uncounted."""
    import asyncio  # slow to load: not for --help

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        asyncio.run(serving)
    except KeyboardInterrupt:
        stderr.print("Stopped.")
        os._exit(STOPPED)  # Dask would wait for what is measured
