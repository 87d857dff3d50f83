"""Showing a campaign's view: a block redrawn in place on a terminal, plain lines elsewhere.

It is drawn between trials, at most a few times a second, in the process that measures: while a
trial runs nothing is drawn. docs/decisions/0018 says what that costs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from linerate.measure.live.events import Event
from linerate.measure.live.progress import Hear, Progress
from linerate.measure.live.view import ASCII, BLOCKS, View, line, lines, view_of
from linerate.progress import console, telling

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

BLOCK_EVERY_S = 0.25
"""Between two drawings of a block; what comes sooner is drawn with the next."""
LINE_EVERY_S = 10.0
"""Between two plain lines."""
Show = Callable[[View], None]


@contextmanager
def showing(*, shown: bool) -> Iterator[Hear]:
    """Show how far a campaign is, while it is measured by this process.

    Parameters
    ----------
    shown
        False to show nothing.

    Yields
    ------
    To hear of its trials. On a terminal they become a block on stderr, in a notebook a bar, and
    else a line every ten seconds.
    """
    if not shown:
        yield lambda progress, events: None
        return
    page = console()
    if page.is_jupyter:
        with telling(shown=True) as tell:
            yield lambda progress, events: tell(
                progress.campaign.name, len(progress.verdicts) + len(progress.found),
                len(progress.runs) + len(progress.searches),
            )  # fmt: skip
        return
    with drawing(page) as (show, every_s):
        throttled = _Throttled(show=show, every_s=every_s)
        try:
            yield throttled.hear
        finally:
            throttled.flush()


class _Throttled:
    """Shows the first view at once, later ones no more often than that, and the last."""

    def __init__(self, *, show: Show, every_s: float) -> None:
        self.show, self.every_s = show, every_s
        self.shown_s = float("-inf")
        self.waiting: Progress | None = None

    def hear(self, progress: Progress, events: Sequence[Event]) -> None:
        """Take what is new; draw it if it is time."""
        self.waiting = progress
        if time.monotonic() - self.shown_s >= self.every_s:
            self.flush()

    def flush(self) -> None:
        """Draw what was not drawn yet."""
        if self.waiting is None:
            return
        progress, self.waiting = self.waiting, None
        self.shown_s = time.monotonic()
        over = progress.is_whole and progress.current is None
        self.show(view_of(progress, time.time(), "ended" if over else "measuring"))


@contextmanager
def drawing(page: Console | None = None) -> Iterator[tuple[Show, float]]:
    """Draw views on stderr.

    Parameters
    ----------
    page
        Console to draw on; stderr's if left out.

    Yields
    ------
    What draws one, and how many seconds should be between two: of a block that is redrawn on a
    terminal, of plain lines elsewhere.
    """
    page = page or console()
    if not page.is_terminal or page.is_dumb_terminal:
        yield lambda view: page.print(line(view), soft_wrap=True, markup=False), LINE_EVERY_S
        return
    from rich.live import Live  # slow to load, for who shows nothing

    # What is printed meanwhile comes above the block, but answers only where they are seen, too.
    block = Live(console=page, auto_refresh=False, redirect_stdout=sys.stdout.isatty())
    try:
        yield lambda view: _draw(block, page, view), BLOCK_EVERY_S
    finally:
        if block.is_started:
            block.stop()


def heights_of(page: Console) -> str:
    """Characters of a sparkline that a console can print."""
    return BLOCKS if page.encoding.lower().startswith("utf") else ASCII


def _draw(block: Live, page: Console, view: View) -> None:
    from rich.text import Text

    text = Text("\n".join(lines(view, heights_of(page))), no_wrap=True, overflow="ellipsis")
    block.start()  # only now: what is refused before the first trial shows no block
    block.update(text, refresh=True)
