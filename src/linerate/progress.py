"""How far something is that takes seconds: a bar on stderr, or in the notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # rich takes as long to load as all else that a small command needs
    from rich.console import Console
    from rich.progress import Progress

Tell = Callable[[str, int, int | None], None]
"""Called with the part that is worked on, the parts done, and how many there are, if known."""


@contextmanager
def telling(*, shown: bool) -> Iterator[Tell]:
    """Show a bar while something runs.

    Parameters
    ----------
    shown
        False to show nothing.

    Yields
    ------
    To call before each part, and after the last.
    """
    if not shown:
        yield lambda part, done, of: None
        return
    bar = _bar()
    task = bar.add_task("", total=None)

    def tell(part: str, done: int, of: int | None) -> None:
        bar.start()  # only now: what is refused before the first part shows no bar
        bar.update(task, description=part, completed=done, total=of)

    try:
        yield tell
    finally:
        if bar.live.is_started:
            bar.stop()


def _bar() -> Progress:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(), console=console(),
    )  # fmt: skip


def console() -> Console:
    """Open stderr as what progress is drawn on."""
    from rich.console import Console

    # In a notebook rich draws by widgets; without these it would warn at each step.
    widgets = None if find_spec("ipywidgets") else False
    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False,
                   force_jupyter=widgets)  # fmt: skip
