"""``linerate watch DIR``: how far a campaign is that runs elsewhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import EventsFlag, print_event, print_json, progress_shown, stderr, stdout

if TYPE_CHECKING:
    from linerate.measure.live.drawn import Show
    from linerate.measure.live.folder import Watched

LOOK_EVERY_S = 0.5
EXAMPLES = """
Examples:
  linerate watch results/quick
  linerate watch results/quick --once
  linerate watch results/quick --once --json
  linerate watch /mnt/lab/results/quick --json
"""


def watch(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder that a campaign is measured into."),
    ],
    once: Annotated[bool, typer.Option("--once", help="Say how far it is, and end.")] = False,
    as_json: EventsFlag = False,
) -> None:
    """Show how far a campaign is that another shell, user or machine measures.

    Reads the plan and the journal; writes nothing, needs no root. Ends when the campaign ends,
    with exit code 0 if all of it is measured, 5 if the device under test failed in some cells, 3 if
    it was stopped or killed before its end. With --once 0, too, while it goes on.

    --json prints the events of docs/live.md, a line each, from the first trial on; with --once
    one object of how far it is.
    """
    # Slow to load: not for --help.
    from linerate.measure.live.drawn import drawing
    from linerate.measure.live.folder import Watched

    watched = Watched.open(folder)
    if once:
        watched.look()
        _say(watched, as_json=as_json)
    elif as_json or not progress_shown():
        _follow(watched, None, LOOK_EVERY_S, as_json=as_json)
    else:
        with drawing(stdout) as (show, every_s):
            _follow(watched, show, every_s, as_json=False)
    if watched.spoiled:
        count = "1 line" if watched.spoiled == 1 else f"{watched.spoiled} lines"
        stderr.print(f"{count} of the journal not as written, and left out; linerate measure "
                     "--resume measures such trials again.")  # fmt: skip
    raise typer.Exit(watched.exit_code)


def _follow(watched: Watched, show: Show | None, every_s: float, *, as_json: bool) -> None:
    """Look again and again until it is over; without what shows it, the end alone is said."""
    shown_s = float("-inf")
    while True:
        events = watched.look()
        if as_json:
            for event in events:
                print_event(event.to_dict())
        now_s = time.time()
        view = watched.view(now_s)
        if show and view and (watched.is_over or now_s - shown_s >= every_s):
            show(view)
            shown_s = now_s
        if watched.is_over:
            break
        time.sleep(LOOK_EVERY_S)
    if not as_json and not show:
        _say(watched, as_json=False)


def _say(watched: Watched, *, as_json: bool) -> None:
    from linerate.measure.live.drawn import heights_of
    from linerate.measure.live.view import lines

    view = watched.view(time.time())
    if view is None:
        who = "another process" if watched.owner is None else f"process {watched.owner}"
        words = {"event": "progress", "state": watched.state, "owner": watched.owner}
        print_json(words) if as_json else stdout.print(f"{who} is about to begin a campaign")
    elif as_json:
        print_json(view.to_dict())
    else:
        stdout.print("\n".join(lines(view, heights_of(stdout))))
