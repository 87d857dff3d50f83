"""Work in parts, shared between the CPUs: by forks, which have what was read and fitted."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")

WORKERS_MAX = 4
PARTS_MIN = 4
"""Fewer are done sooner than a fork has begun."""
PARTS_MAX = 255
"""The number of a part is one byte."""
PATIENCE_S = 120.0
"""A fork that has not answered by then, once all parts are begun, is given up."""


def workers() -> int:
    """Count the CPUs that this process may use, as far as they are of use."""
    return min(len(os.sched_getaffinity(0)), WORKERS_MAX)


def shared(
    work: Callable[[Part], Result], parts: Sequence[Part], among: int,
    progress: Callable[[], None] = lambda: None, meanwhile: Callable[[], None] | None = None,
) -> list[Result]:  # fmt: skip
    """Do every part once, in this process and in forks of it.

    What a fork leaves undone, because it failed or was killed, is done here: an error of a part is
    raised here, as if there were no forks.

    Parameters
    ----------
    work
        Gives what can be pickled, and changes nothing that outlasts it.
    parts
        What it is called with.
    among
        So many processes, this one among them.
    progress
        Called before each part that this process does.
    meanwhile
        What this process does before any part, while its forks do them already: it may change what
        outlasts it.

    Returns
    -------
    What it gives of each part, in their order.
    """
    found: dict[int, Result] = {}
    turns = _all_turns(len(parts))
    least = PARTS_MIN if meanwhile is None else 1
    pipes = [multiprocessing.Pipe(duplex=False) for _ in range(among - 1)] \
        if least <= len(parts) <= PARTS_MAX else []  # fmt: skip
    fork = multiprocessing.get_context("fork")
    readers = [reader for reader, _ in pipes]
    helpers = [fork.Process(target=_help, args=(work, parts, turns, writer, readers), daemon=True)
               for _, writer in pipes]  # fmt: skip
    try:
        for helper, (_, writer) in zip(helpers, pipes, strict=True):
            helper.start()
            writer.close()
        if meanwhile is not None:
            meanwhile()
        for number in _turns(turns):
            progress()
            found[number] = work(parts[number])
        for reader in readers:
            with suppress(EOFError, OSError):
                found |= reader.recv() if reader.poll(PATIENCE_S) else {}
    finally:
        os.close(turns)
        for helper, reader in zip(helpers, readers, strict=True):
            reader.close()
            if helper.pid is not None:
                helper.kill()
                helper.join()
    return [found[number] if number in found else work(part) for number, part in enumerate(parts)]


def _all_turns(count: int) -> int:
    """Fill a pipe with the numbers of all parts: whoever reads one does it."""
    reader, writer = os.pipe()
    os.write(writer, bytes(range(min(count, PARTS_MAX))))
    os.close(writer)
    return reader


def _turns(reader: int) -> Iterator[int]:
    while turn := os.read(reader, 1):
        yield turn[0]


def _help(
    work: Callable[[Part], Result], parts: Sequence[Part], turns: int, writer: Connection,
    readers: Sequence[Connection],
) -> None:  # fmt: skip
    """Do parts until none is left, and hand over what was found: all that a fork does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the parent's to end, which then ends us
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # a bar's would wait for its thread
    for reader in readers:
        reader.close()  # with it open, nobody would notice that the parent is gone
    found: dict[int, Result] = {}
    with suppress(Exception):  # done again by the parent, which raises it
        for number in _turns(turns):
            found[number] = work(parts[number])
    writer.send(found)
