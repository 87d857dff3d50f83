"""``linerate measure``: run a campaign."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.app import CELLS_FAILED
from linerate.cli.lab.beside import beside, print_beside
from linerate.cli.output import (
    EventsFlag,
    errors,
    print_event,
    progress_shown,
    stderr,
    stdout,
)
from linerate.cli.stopping import exit_code_of
from linerate.errors import LinerateError, bad_input

if TYPE_CHECKING:
    from linerate.measure.boxes.run import Boxes
    from linerate.measure.campaign.adaptive import Choose
    from linerate.measure.campaign.campaign import Campaign, CampaignFile
    from linerate.measure.campaign.failures import FailedCell
    from linerate.measure.campaign.whole import Measured, Outset
    from linerate.measure.live.events import Event
    from linerate.measure.live.progress import Progress
    from linerate.models.design.adaptive import Chooser

FAILED_SHOWN = 20
EXAMPLES = """
Examples:
  sudo linerate measure data/campaigns/quick.toml --out results/quick
  sudo linerate measure data/campaigns/quick.toml --out results/quick --resume
  sudo linerate measure data/campaigns/quick.toml --out results/quick --resume --retry-failed
  sudo linerate measure data/campaigns/capeletti.toml --out results/capeletti --within-cores
  sudo linerate measure data/campaigns/quick.toml --out results/some --until-error 5%
  sudo linerate measure data/campaigns/quick.toml --out results/quick --json
  linerate measure plan.toml --out results/lab --boxes lab.toml --workers tcp://10.0.0.1:8786
"""
WithinCoresFlag = Annotated[
    bool,
    typer.Option("--within-cores", help="Leave out queue counts for which there are no cores."),
]

RetryFailedFlag = Annotated[
    bool,
    typer.Option("--retry-failed", help="With --resume: measure runs again in which the device "
                 "under test failed."),
]  # fmt: skip
UntilErrorOption = Annotated[
    str | None,
    typer.Option("--until-error", help="Stop when the model's expected error is within this, as "
                 "5%; choose the next cells after each round."),
]  # fmt: skip

BoxesOption = Annotated[
    Path | None,
    typer.Option("--boxes", help="Lab file (TOML): measure on its boxes, each run on one that is "
                 "free (docs/boxes.md). Needs --workers."),
]  # fmt: skip
WorkersOption = Annotated[
    str | None,
    typer.Option("--workers", help="With --boxes: address of the scheduler that the workers of "
                 "these boxes are at, tcp://HOST:PORT."),
]  # fmt: skip


def measure(  # noqa: PLR0913 - one option per flag
    campaign: Annotated[Path, typer.Argument(help="Campaign file (TOML).", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the journal and the tables of runs.")
    ],
    resume: Annotated[bool, typer.Option(help="Go on with the campaign begun in --out.")] = False,
    retry_failed: RetryFailedFlag = False,
    within_cores: WithinCoresFlag = False,
    until_error: UntilErrorOption = None,
    boxes: BoxesOption = None,
    workers: WorkersOption = None,
    as_json: EventsFlag = False,
) -> None:
    """Measure every cell of a campaign on real packets; each finished trial is kept.

    With --until-error the campaign is adaptive: after each round it chooses the cells that the
    capacity model is least sure of, and stops when the expected error is within the bound. Cells
    of other modes and searches are not measured; --resume without --until-error measures them.

    Where the device under test crashes, hangs or does not start, that run is kept as invalid with
    the reason, the campaign goes on, and the exit code is 5. Such a run counts as finished:
    --resume leaves it, --resume --retry-failed measures it again.
    """
    # Slow to load: not for --help.
    from linerate.measure.campaign.campaign import read_campaign
    from linerate.measure.campaign.latency import SAYS
    from linerate.measure.campaign.whole import Outset

    if retry_failed and (until_error or not resume):
        raise bad_input(
            "retry-failed", "true", why="it is for a campaign that was measured",
            allowed="--retry-failed with --resume and without --until-error",
            do="correct the options",
        )  # fmt: skip
    lab = _boxes(boxes, workers, until_error=until_error)
    plan = read_campaign(campaign)
    plan = plan.within_cores() if within_cores else plan
    if plan.is_long:
        stderr.print(f"note: {SAYS}")
    chooser = _chooser(plan.campaign, until_error) if until_error else None
    outset = Outset(
        out=out, resume=resume, retry_failed=retry_failed, argv=("linerate", *sys.argv[1:])
    )
    lines = EventLines(out) if as_json else None
    done = measure_with_progress(plan, outset, lab or chooser, lines)
    own = beside(plan, done)
    if lines:
        until = {"until": chooser.to_dict()} if chooser else {}
        objects = {"objects": [each.to_dict() for each in own]} if own else {}
        code = CELLS_FAILED if done.failed else 0
        lines.end("ended", code, **_counted(done), **until, **objects)
    else:
        _print_measured(done, out, chooser)
        print_beside(own)
    if done.failed:
        _list_failed(done.failed)
        raise typer.Exit(CELLS_FAILED)


def _counted(done: Measured) -> dict[str, object]:
    return {
        "runs": len(done.runs),
        "verdicts": done.runs["verdict"].value_counts().to_dict(),
        "spoiled": list(done.spoiled),
        "goals": 0 if done.searches is None else len(done.searches),
        "answers": [answer.to_dict() for answer in done.answers],
        "failed": [
            {"cell": each.name, "runs": each.runs, "reason": each.reason} for each in done.failed
        ],
    }


def _print_measured(done: Measured, out: Path, chooser: Chooser | None) -> None:
    from linerate.measure.trials.lint import apart_note, shared_note

    verdicts = done.runs["verdict"].value_counts().to_dict()
    if len(done.runs):
        counted = ", ".join(f"{count} {state}" for state, count in verdicts.items())
        stdout.print(f"{len(done.runs)} runs ({counted}) in {out / 'runs.csv'}")
        if chooser is not None:
            stdout.print(str(chooser))
        if "suspect" in verdicts:
            stderr.print("Suspect runs are kept and marked; column verdict_reason says why.")
        for remark in filter(None, (apart_note(done.runs), shared_note(done.runs))):
            stderr.print(f"note: {remark}")
    if done.spoiled:
        stderr.print(
            f"{', '.join(done.spoiled)}: not as written, set aside in a file *.spoiled beside; "
            "such trials were measured again."
        )
    if done.searches is not None:
        stdout.print(f"{len(done.searches)} goals searched for in {out / 'searches.csv'}")
        for answer in done.answers:
            stdout.print(str(answer))


def _list_failed(failed: Sequence[FailedCell]) -> None:
    cells = "1 cell" if len(failed) == 1 else f"{len(failed)} cells"
    errors.print(f"{cells} could not be measured, since the device under test failed:")
    for each in failed[:FAILED_SHOWN]:
        errors.print(f"  {each}")
    if len(failed) > FAILED_SHOWN:
        errors.print(f"  and {len(failed) - FAILED_SHOWN} more; column verdict_reason has them all")
    errors.print("Their runs are kept as invalid. Measure them again with --resume --retry-failed.")


def _boxes(boxes: Path | None, workers: str | None, *, until_error: str | None) -> Boxes | None:
    """Make of the options which lab measures; None where this machine does."""
    if boxes is None and workers is None:
        return None
    if boxes is None or workers is None or until_error:
        raise bad_input(
            "boxes", boxes, why="--boxes and --workers go together, and without --until-error",
            allowed="--boxes LAB.toml --workers tcp://HOST:PORT", do="correct the options",
        )  # fmt: skip
    from linerate.cli.lab.boxes import need_dask

    need_dask()
    from linerate.measure.boxes.lab_file import read_lab
    from linerate.measure.boxes.run import Boxes

    return Boxes(lab=read_lab(boxes), scheduler=workers, say=stderr.print)


def _chooser(campaign: Campaign, until_error: str) -> Chooser:
    # Models take as long to load as the rest.
    from linerate.cli.lab.until import error_ratio
    from linerate.models.design.adaptive import Chooser

    return Chooser.of(campaign.cells(), error_ratio(until_error), stderr.print)


def measure_with_progress(
    plan: CampaignFile,
    outset: Outset,
    by: Choose | Boxes | None = None,
    lines: EventLines | None = None,
) -> Measured:
    """Measure all, what is chosen, or on boxes, and show how far it is; Ctrl-C says how to go on.

    Events are printed where there are lines for them; on a terminal they are shown alone.
    """  # fmt: skip
    from linerate.measure.campaign.whole import measure_into
    from linerate.measure.live.drawn import showing

    shown = progress_shown() and not (lines and sys.stdout.isatty())
    try:
        with showing(shown=shown) as show:

            def hear(progress: Progress, events: Sequence[Event]) -> None:
                if lines:
                    lines.hear(progress, events)
                show(progress, events)

            if by is None or callable(by):
                return measure_into(plan, outset, hear, by)
            from linerate.measure.boxes.run import measure_on_boxes  # loads Dask

            return measure_on_boxes(plan, outset, by, hear)
    except LinerateError as error:
        if lines:
            lines.end("failed", error.exit_code, error=str(error))
        raise
    except KeyboardInterrupt as stop:
        if lines:
            lines.end("stopped", exit_code_of(stop))
        errors.print(f"Stopped. Finished trials are in {outset.out}; go on with --resume.")
        raise typer.Exit(exit_code_of(stop)) from None


class EventLines:
    """Prints what happens in a campaign, a line of JSON an event."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.progress: Progress | None = None

    def hear(self, progress: Progress, events: Sequence[Event]) -> None:
        """Print what has happened."""
        self.progress = progress
        for event in events:
            print_event(event.to_dict())

    def end(self, state: str, exit_code: int, **answer: object) -> None:
        """Print how it ended; nothing where it was refused before it began."""
        if self.progress:
            ended = self.progress.ended(self.out, state, exit_code)
            print_event({**ended.to_dict(), **answer})
