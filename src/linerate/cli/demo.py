"""``linerate demo``: the whole job once, on this machine's own packets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import linerate
from linerate.cli.lab.measure import measure_with_progress
from linerate.cli.models.validate import print_scores
from linerate.cli.output import JsonFlag, print_json, progress_shown, stderr, stdout
from linerate.cli.runs.report import print_report, write_report
from linerate.links import LINK_GBPS

if TYPE_CHECKING:
    import pandas as pd

    from linerate.measure.campaign.campaign import CampaignFile

DATA = Path(linerate.__file__).parent / "data"
REFERENCE = (DATA / "reference-veth", DATA / "reference-veth-split")
UNSEEN = (
    {"datapath": "xdp_native", "memory_accesses": 800, "frame_bytes": 256, "queues": 2},
    {"datapath": "xdp_generic", "memory_accesses": 200, "frame_bytes": 1024, "queues": 1},
)
"""Cells that the quick campaign leaves out; the reference has both."""
PROGRAM = "map_lookup"
CHECK_SECONDS, CHECK_WARM_UP_SECONDS = 0.3, 0.1
"""Of each trial of those cells."""
CHECK_RETRIES = 6
"""Of trials that others disturbed, as of the quick campaign."""
MODEL, COMPARATOR = "capacity", "log_ols"
"""The physical model, and a regression beside it."""
EXAMPLES = """
Examples:
  sudo linerate demo
  linerate demo --out results/first-look
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the demo works on: this machine's packets, or the reference campaign."""

    here: bool
    """Whether this machine measured it."""
    tables: list[Path]
    """What the report is made of."""
    seen: pd.DataFrame
    """Runs to fit on."""
    measure_unseen: Callable[[pd.DataFrame], pd.DataFrame]
    """Runs of the cells that were predicted; called after the prediction."""


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Folder for everything.", show_default="results/demo-TIME"
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure, fit, validate, predict cells not measured, measure them, and report.

    Takes two to six minutes. Without root or kernel support it runs on the reference campaign
    that comes with linerate, and says so.
    """
    # Slow to load: not for --help.
    from linerate.face.fitting import fit
    from linerate.face.validation import validate
    from linerate.models.answers.outcome import outcomes
    from linerate.reports.page.pictures import Drawing

    folder = out or Path("results") / f"demo-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    material = _measure_here(folder) if _lab_runs_here() else _shipped()
    stderr.rule("Fit, and the error on program loads held out")
    shown = progress_shown()
    model = fit(material.seen, MODEL, progress=shown)
    beside = validate(material.seen, models=(COMPARATOR,), progress=shown).splits["group"]
    validations = (*([model.validation] if model.validation else []), *beside)
    if not as_json:
        stdout.print(model.laws()["capacity"])
        print_scores(validations)
    stderr.rule("Cells that were not measured: prediction first, then the measurement")
    cells = _cells_to_predict(material.seen)
    predicted = model.predict(cells)
    answers = outcomes(predicted, material.measure_unseen(cells), list(UNSEEN[0]))
    if not as_json:
        for answer in answers:
            stdout.print(str(answer))
    stderr.rule("Report")
    drawing = Drawing(widths_mm=(180,))  # one of each figure: the page shows no other
    written = write_report(material.tables, folder / "report", drawing, MODEL)
    if as_json:
        scores = [validation.scores.to_dict() for validation in validations]
        print_json(
            {
                "here": material.here,
                "validation": scores,
                "answers": [answer.to_dict() for answer in answers],
                "report": str(written.path),
            }
        )
    else:
        print_report(written)


def _lab_runs_here() -> bool:
    from linerate.measure.system import lab_obstacles

    obstacles = lab_obstacles("veth")
    if obstacles:
        missing = "; ".join(
            f"{found.name}: {found.detail} (get it: {found.remedy})" for found in obstacles
        )
        stderr.print(
            f"No packets are sent: the veth lab cannot run here. {missing}\n"
            "What follows uses the reference campaign that comes with linerate, measured on "
            "another machine; its name stands in column box."
        )
    else:
        stderr.print("The veth lab runs here; linerate doctor tells the rest.")
    return not obstacles


def _measure_here(folder: Path) -> Material:
    from linerate.measure.campaign.campaign import read_campaign

    quick = read_campaign(DATA / "campaigns" / "quick.toml").within_cores()
    return Material(
        here=True,
        tables=[folder / "campaign"],
        seen=_measured(quick, folder / "campaign"),
        measure_unseen=lambda cells: _measured(_check_plan(cells), folder / "check"),
    )


def _shipped() -> Material:
    """Take the cells to predict, and all that shares their program loads, out of the reference."""
    import pandas as pd

    from linerate.tables.runs import read_runs

    runs = read_runs(REFERENCE[:1])
    groups = pd.DataFrame(UNSEEN)[["datapath", "memory_accesses", "queues"]]
    held = runs.merge(groups, how="left", indicator=True)["_merge"].eq("both").to_numpy()
    return Material(
        here=False, tables=list(REFERENCE), seen=runs[~held], measure_unseen=lambda _: runs[held]
    )


def _measured(plan: CampaignFile, folder: Path) -> pd.DataFrame:
    from linerate.measure.campaign.whole import Outset
    from linerate.measure.trials.lint import shared_note
    from linerate.tables.runs import read_runs

    stderr.print(f"{len(plan.campaign.cells())} cells on real packets, into {folder}")
    measure_with_progress(plan, Outset(out=folder, argv=("linerate", *sys.argv[1:])))
    runs = read_runs([folder])
    if remark := shared_note(runs):
        stderr.print(f"note: {remark}")
    return runs


def _cells_to_predict(seen: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    cells = pd.DataFrame(UNSEEN).assign(program=PROGRAM, link_gbps=LINK_GBPS)
    return cells.assign(queues=cells["queues"].clip(upper=int(seen["queues"].max())))


def _check_plan(cells: pd.DataFrame) -> CampaignFile:
    import tomli_w

    from linerate.measure.campaign.campaign import CampaignFile, campaign_from

    fields = {
        "name": "check", "lab": "veth", "repetitions": 5, "trial_seconds": CHECK_SECONDS,
        "warm_up_seconds": CHECK_WARM_UP_SECONDS, "retries": CHECK_RETRIES, "probes": ["sharing"],
        "cells": [
            {
                "mode": "serial", "datapath": [cell["datapath"]], "program": [cell["program"]],
                "memory_accesses": [cell["memory_accesses"]], "queues": [cell["queues"]],
                "frame_bytes": [cell["frame_bytes"]], "link_gbps": cell["link_gbps"],
                "offered_mpps": ["line"],
            }
            for cell in cells.to_dict("records")
        ],
    }  # fmt: skip
    return CampaignFile(campaign=campaign_from(fields, "check"), text=tomli_w.dumps(fields))
