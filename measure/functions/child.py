"""The child process that times a user's function: without rights, limited, and gone at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linerate.measure.objects.child import run_limited
from linerate.measure.processes import built

RUNNER = "function_test"


def run_function(path: Path, entry: str, flags: Sequence[str | Path]) -> str:
    """Have the runner load a shared object and give frames to its function.

    Parameters
    ----------
    path, entry
        The object, and the name of its function.
    flags
        The runner's options beside them.

    Raises
    ------
    BadInputError
        It cannot be loaded, breaks, reaches beyond a frame, or does not return.
    CannotHereError
        The runner is not built.
    LinerateError
        It did not end, or was killed.
    """
    return run_limited(path, [built.runner(RUNNER), "--function", path, "--entry", entry, *flags])
