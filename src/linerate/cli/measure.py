"""``linerate measure``: run a campaign."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.app import STOPPED
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.measure.campaign.adaptive import Choose
from linerate.measure.campaign.campaign import Campaign, CampaignFile, read_campaign
from linerate.measure.campaign.run import Progress
from linerate.measure.campaign.whole import Measured, Outset, measure_into
from linerate.progress import telling

if TYPE_CHECKING:
    from linerate.models.design.adaptive import Chooser


EXAMPLES = """
Examples:

  sudo linerate measure data/campaigns/quick.toml --out results/quick

  sudo linerate measure data/campaigns/quick.toml --out results/quick --resume

  sudo linerate measure data/campaigns/capeletti.toml --out results/capeletti --within-cores

  sudo linerate measure data/campaigns/quick.toml --out results/some --until-error 5%
"""
WithinCoresFlag = Annotated[
    bool,
    typer.Option("--within-cores", help="Leave out queue counts for which there are no cores."),
]

UntilErrorOption = Annotated[
    str | None,
    typer.Option("--until-error", help="Stop when the model's expected error is within this, as "
                 "5%; choose the next cells after each round."),
]  # fmt: skip


def measure(  # noqa: PLR0913 - one option per flag
    campaign: Annotated[Path, typer.Argument(help="Campaign file (TOML).", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the journal and the tables of runs.")],
    resume: Annotated[bool, typer.Option(help="Go on with the campaign begun in --out.")] = False,
    within_cores: WithinCoresFlag = False,
    until_error: UntilErrorOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure every cell of a campaign on real packets; each finished trial is kept.

    With --until-error the campaign is adaptive: after each round it chooses the cells that the
    capacity model is least sure of, and stops when the expected error is within the bound. Cells
    of other modes and searches are not measured; --resume without --until-error measures them.
    """
    plan = read_campaign(campaign)
    plan = plan.within_cores() if within_cores else plan
    chooser = _chooser(plan.campaign, until_error) if until_error else None
    done = measure_with_progress(plan, out, resume=resume, choose=chooser)
    table, searches = done.runs, done.searches
    verdicts = table["verdict"].value_counts().to_dict()
    if as_json:
        goals = 0 if searches is None else len(searches)
        print_json({"out": str(out), "runs": len(table), "verdicts": verdicts, "goals": goals,
                    **({"until": chooser.to_dict()} if chooser else {})})  # fmt: skip
        return
    if len(table):
        counted = ", ".join(f"{count} {state}" for state, count in verdicts.items())
        stdout.print(f"{len(table)} runs ({counted}) in {out / 'runs.csv'}")
        if chooser is not None:
            stdout.print(str(chooser))
        if "suspect" in verdicts:
            stderr.print("Suspect runs are kept and marked; column verdict_reason says why.")
    if searches is not None:
        stdout.print(f"{len(searches)} goals searched for in {out / 'searches.csv'}")


def _chooser(campaign: Campaign, until_error: str) -> Chooser:
    # Models take as long to load as the rest.
    from linerate.cli.until import error_ratio
    from linerate.models.design.adaptive import Chooser

    return Chooser.of(campaign.cells(), error_ratio(until_error), stderr.print)


def measure_with_progress(
    plan: CampaignFile, out: Path, *, resume: bool = False, choose: Choose | None = None
) -> Measured:
    """Measure all, or what is chosen, with a bar on stderr; Ctrl-C says how to go on."""
    argv = ("linerate", *sys.argv[1:])
    try:
        with telling(shown=True) as tell:

            def show(progress: Progress) -> None:
                tell(plan.campaign.name, progress.finished_runs, progress.planned_runs)

            outset = Outset(out=out, resume=resume, argv=argv)
            return measure_into(plan, outset, show, choose)
    except KeyboardInterrupt:
        stderr.print(f"Stopped. Finished trials are in {out}; go on with --resume.")
        raise typer.Exit(STOPPED) from None
