"""``linerate measure``: run a campaign."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.app import CELLS_FAILED, STOPPED
from linerate.cli.output import JsonFlag, print_json, progress_bar, stderr, stdout
from linerate.errors import bad_input, cannot_here
from linerate.measure.campaign import Campaign, CampaignFile, read_campaign
from linerate.measure.failures import FailedCell, failed_cells
from linerate.measure.labs.card import is_card
from linerate.measure.labs.port import Port
from linerate.measure.session import Progress, check_runnable, measure_campaign
from linerate.measure.system import lab_obstacles
from linerate.measure.system.describe import this_box
from linerate.measure.until import Choose, measure_until
from linerate.store import Provenance, Store

if TYPE_CHECKING:
    import pandas as pd

    from linerate.cli.until import Chooser

FAILED_SHOWN = 20
EXAMPLES = """
Examples:

  sudo linerate measure data/campaigns/quick.toml --out results/quick

  sudo linerate measure data/campaigns/quick.toml --out results/quick --resume

  sudo linerate measure data/campaigns/quick.toml --out results/quick --resume --retry-failed

  sudo linerate measure data/campaigns/capeletti.toml --out results/capeletti --within-cores

  sudo linerate measure data/campaigns/quick.toml --out results/some --until-error 5%
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
                 "5%; measure the cells it is least sure of first."),
]  # fmt: skip


def measure(  # noqa: PLR0913 - one option per flag
    campaign: Annotated[Path, typer.Argument(help="Campaign file (TOML).", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the journal and the tables of runs.")],
    resume: Annotated[bool, typer.Option(help="Go on with the campaign begun in --out.")] = False,
    retry_failed: RetryFailedFlag = False,
    within_cores: WithinCoresFlag = False,
    until_error: UntilErrorOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure every cell of a campaign on real packets; each finished trial is kept.

    With --until-error only the cells that a capacity model needs, those it is least sure of
    first, until its expected error on all of them is within the bound. Cells of other modes and
    searches are left; --resume without --until-error measures all that was left.

    Where the device under test crashes, hangs or does not start, that run is kept as invalid with
    the reason, the campaign goes on, and the exit code is 5. Such a run counts as finished:
    --resume leaves it, --resume --retry-failed measures it again.
    """
    if retry_failed and (until_error or not resume):
        raise bad_input(
            "retry-failed", "true", why="it is for a campaign that was measured",
            allowed="--retry-failed with --resume and without --until-error",
            do="correct the options",
        )  # fmt: skip
    plan = read_campaign(campaign)
    plan = plan.within_cores() if within_cores else plan
    chooser = _chooser(plan.campaign, until_error) if until_error else None
    require_lab(plan.campaign.lab)
    store = open_store(plan, out, resume=resume)
    run_with_progress(plan.campaign, store, chooser, retry_failed=retry_failed)
    table, searches = store.write_runs(), store.write_searches()
    verdicts, failed = table["verdict"].value_counts().to_dict(), failed_cells(store)
    if as_json:
        goals = 0 if searches is None else len(searches)
        print_json({"out": str(out), "runs": len(table), "verdicts": verdicts, "goals": goals,
                    "failed": [{"cell": each.name, "runs": each.runs, "reason": each.reason}
                               for each in failed],
                    **({"until": chooser.answer()} if chooser else {})})  # fmt: skip
    else:
        _print_tables(out, table, searches, chooser)
    if failed:
        _list_failed(failed)
        raise typer.Exit(CELLS_FAILED)


def _print_tables(
    out: Path, table: pd.DataFrame, searches: pd.DataFrame | None, chooser: Chooser | None
) -> None:
    verdicts = table["verdict"].value_counts().to_dict()
    if len(table):
        counted = ", ".join(f"{count} {state}" for state, count in verdicts.items())
        stdout.print(f"{len(table)} runs ({counted}) in {out / 'runs.csv'}")
        if chooser is not None:
            stdout.print(str(chooser))
        if "suspect" in verdicts:
            stderr.print("Suspect runs are kept and marked; column verdict_reason says why.")
    if searches is not None:
        stdout.print(f"{len(searches)} goals searched for in {out / 'searches.csv'}")


def _list_failed(failed: Sequence[FailedCell]) -> None:
    cells = "1 cell" if len(failed) == 1 else f"{len(failed)} cells"
    stderr.print(f"{cells} could not be measured, since the device under test failed:")
    for each in failed[:FAILED_SHOWN]:
        stderr.print(f"  {each}")
    if len(failed) > FAILED_SHOWN:
        stderr.print(f"  and {len(failed) - FAILED_SHOWN} more; column verdict_reason has them all")
    stderr.print("Their runs are kept as invalid. Measure them again with --resume --retry-failed.")


def _chooser(campaign: Campaign, until_error: str) -> Chooser:
    from linerate.cli.until import Chooser, error_ratio  # models take as long to load as the rest

    return Chooser.of(campaign.cells(), error_ratio(until_error))


def require_lab(lab: str) -> None:
    """Refuse, naming what is missing, where a lab cannot run."""
    obstacles = lab_obstacles(lab)
    if obstacles:
        first = obstacles[0]
        raise cannot_here(
            first.name,
            why=f"{first.detail}; the {lab} lab needs it",
            do=f"get it by: {first.remedy}",
        )


def open_store(plan: CampaignFile, out: Path, *, resume: bool) -> Store:
    """Make or resume the campaign's folder, once it is known that this machine can run it."""
    check_runnable(plan.campaign, plan.folder)
    box = this_box(nic=_card(plan.campaign))
    if resume:
        return Store.resume(out, plan.text, box, plan.files())
    provenance = Provenance(
        campaign=plan.campaign.name, git_revision=_revision(), argv=("linerate", *sys.argv[1:])
    )
    return Store.create(out, plan.text, box, provenance, plan.files())


def _card(campaign: Campaign) -> str:
    """Name the card under test: by its driver where it is one, by the lab where it is none."""
    if campaign.nic is None:
        return campaign.lab
    if is_card(campaign.nic.interface):
        return "pci"
    port = Port(campaign.nic.interface)
    speed = f" {port.speed_gbps:g}G" if port.speed_gbps else ""
    return f"{port.driver or 'virtual'}{speed}"


def run_with_progress(
    campaign: Campaign, store: Store, choose: Choose | None = None, *, retry_failed: bool = False
) -> None:
    """Measure all, or what is chosen, with a bar on stderr; Ctrl-C says how to go on."""
    with progress_bar() as bar:
        task = bar.add_task(campaign.name, total=None)

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.finished_runs, total=progress.planned_runs)

        try:
            if choose is None:
                measure_campaign(campaign, store, show, retry_failed=retry_failed)
            else:
                measure_until(campaign, store, choose, show)
        except KeyboardInterrupt:
            store.write_runs()
            store.write_searches()
            stderr.print(f"Stopped. Finished trials are in {store.folder}; go on with --resume.")
            raise typer.Exit(STOPPED) from None


def _revision() -> str:
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:  # no git here
        return "unknown"
    return asked.stdout.strip() or "unknown"
