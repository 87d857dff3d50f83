"""The time in which a generator counts, so that others count, or send, in the same."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from tempfile import TemporaryFile


def run_in_window(
    argv: Sequence[str], limit_s: float, window: AbstractContextManager[object]
) -> subprocess.CompletedProcess[str]:
    """Run a generator that marks either end of its counted time by a line on ``--mark-fd``.

    Parameters
    ----------
    argv
        The generator's, without that flag.
    limit_s
        It is stopped after so long.
    window
        Entered at the first mark, left at the second; never entered when there is none.

    Raises
    ------
    subprocess.TimeoutExpired
        It did not end in time.
    """
    reading, marking = os.pipe()
    # A file: whoever waits for a mark reads no pipe, and a verifier's log would fill one.
    with os.fdopen(reading, "rb", buffering=0) as marks, TemporaryFile("w+") as words:
        try:
            generator = subprocess.Popen(
                [*argv, "--mark-fd", str(marking)], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=words, text=True, start_new_session=True,
                pass_fds=(marking,),
            )  # fmt: skip
        finally:
            os.close(marking)
        end_s = time.monotonic() + limit_s
        with generator:
            try:
                if _await_mark(marks.fileno(), argv, end_s):
                    with window:
                        _await_mark(marks.fileno(), argv, end_s)
                output, _ = generator.communicate(timeout=max(0.0, end_s - time.monotonic()))
            except BaseException:
                generator.kill()
                raise
        words.seek(0)
        return subprocess.CompletedProcess(argv, generator.returncode, output, words.read())


def _await_mark(marks: int, argv: Sequence[str], end_s: float) -> bool:
    """Whether a mark came; none comes any more from a generator that has ended."""
    left_s = max(0.0, end_s - time.monotonic())
    if not select.select([marks], [], [], left_s)[0]:
        raise subprocess.TimeoutExpired(list(argv), left_s)
    return bool(os.read(marks, 1))
