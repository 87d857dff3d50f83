"""``linerate demo``: the whole job once, on this machine's own packets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import tomli_w
import typer

import linerate
from linerate.cli.measure import open_store, run_with_progress
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.cli.report import print_report, write_report
from linerate.cli.validate import print_scores, validate_with_progress
from linerate.measure.campaign import CampaignFile, campaign_from, read_campaign
from linerate.measure.system import lab_obstacles
from linerate.models import MODELS, LogOls, fit_predictor, training_of
from linerate.models.fitting import SEED
from linerate.records import Predictions
from linerate.runs import read_runs
from linerate.units import line_rate_mpps

DATA = Path(linerate.__file__).parent / "data"
REFERENCE = (DATA / "reference-veth", DATA / "reference-veth-split")
UNSEEN = (
    {"datapath": "xdp_native", "memory_accesses": 800, "frame_bytes": 256, "queues": 2},
    {"datapath": "xdp_generic", "memory_accesses": 200, "frame_bytes": 1024, "queues": 1},
)
"""Cells that the quick campaign leaves out; the reference has both."""
PROGRAM = "map_lookup"
LINK_GBPS = 10.0
SUSTAINED_RATIO = 0.99
EXAMPLES = """
Examples:

  sudo linerate demo

  linerate demo --out results/first-look
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Prediction and measurement of one cell that the model has not seen."""

    cell: dict[str, Any]
    line_rate_mpps: float
    predicted_mpps: float
    lower_mpps: float
    upper_mpps: float
    sustains_line_rate: float
    bottleneck: str
    measured_mpps: float
    """Median of the program loads measured afterwards."""
    measured_loads: int
    line_rate_sustained: bool
    inside: bool
    """Whether the measurement lies in the 90 % interval."""


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
        Path | None, typer.Option(help="Folder for everything.", show_default="results/demo-TIME")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure, fit, validate, predict cells not measured, measure them, and report.

    Takes about three minutes. Without root or kernel support it runs on the reference campaign
    that comes with linerate, and says so.
    """
    folder = out or Path("results") / f"demo-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    material = _measure_here(folder) if _lab_runs_here() else _shipped()
    stderr.rule("Fit, and the error on program loads held out")
    training = training_of(material.seen)
    predictor = fit_predictor(MODELS[0], training, np.random.default_rng(SEED))
    validations = validate_with_progress(training, models=(MODELS[0], LogOls))
    if not as_json:
        stdout.print(str(predictor.model))
        print_scores(validations)
    stderr.rule("Cells that were not measured: prediction first, then the measurement")
    cells = _cells_to_predict(material.seen)
    predictions = predictor.predict(cells)
    answers = _answers(cells, predictions, material.measure_unseen(cells))
    if not as_json:
        for answer in answers:
            _print_answer(answer)
    stderr.rule("Report")
    written = write_report(material.tables, folder / "report")
    if as_json:
        scores = [validation.scores.to_dict() for validation in validations]
        print_json(
            {
                "here": material.here,
                "validation": scores,
                "answers": map(asdict, answers),
                "report": str(written.path),
            }
        )
    else:
        print_report(written)


def _lab_runs_here() -> bool:
    obstacles = lab_obstacles("veth")
    if obstacles:
        missing = "; ".join(
            f"{found.name}: {found.detail} (get it: {found.remedy})" for found in obstacles
        )
        stderr.print(
            f"[bold]No packets are sent: the veth lab cannot run here.[/] {missing}\n"
            "What follows uses the reference campaign that comes with linerate, measured on "
            "another machine; its name stands in column box."
        )
    else:
        stderr.print("The veth lab runs here; linerate doctor tells the rest.")
    return not obstacles


def _measure_here(folder: Path) -> Material:
    quick = read_campaign(DATA / "campaigns" / "quick.toml").within_cores()
    return Material(
        here=True,
        tables=[folder / "campaign"],
        seen=_measured(quick, folder / "campaign"),
        measure_unseen=lambda cells: _measured(_check_plan(cells), folder / "check"),
    )


def _shipped() -> Material:
    """Take the cells to predict, and all that shares their program loads, out of the reference."""
    runs = read_runs(REFERENCE[:1])
    groups = pd.DataFrame(UNSEEN)[["datapath", "memory_accesses", "queues"]]
    held = runs.merge(groups, how="left", indicator=True)["_merge"].eq("both").to_numpy()
    return Material(
        here=False, tables=list(REFERENCE), seen=runs[~held], measure_unseen=lambda _: runs[held]
    )


def _measured(plan: CampaignFile, folder: Path) -> pd.DataFrame:
    stderr.print(f"{len(plan.campaign.cells())} cells on real packets, into {folder}")
    store = open_store(plan, folder, resume=False)
    run_with_progress(plan.campaign, store)
    return read_runs([folder])


def _cells_to_predict(seen: pd.DataFrame) -> pd.DataFrame:
    cells = pd.DataFrame(UNSEEN).assign(program=PROGRAM, link_gbps=LINK_GBPS)
    return cells.assign(queues=cells["queues"].clip(upper=int(seen["queues"].max())))


def _check_plan(cells: pd.DataFrame) -> CampaignFile:
    fields = {
        "name": "check", "lab": "veth", "repetitions": 5, "trial_seconds": 0.3,
        "warm_up_seconds": 0.1,
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


def _answers(cells: pd.DataFrame, predictions: Predictions, measured: pd.DataFrame) -> list[Answer]:
    """Lay the median of each cell's program loads beside what was predicted of it."""
    factors = list(UNSEEN[0])
    said = cells.assign(**predictions.columns())
    seen = measured.groupby(factors)["forwarded_mpps"].agg(["median", "size"])
    answers = []
    for row in said.merge(seen, left_on=factors, right_index=True).to_dict("records"):
        line_mpps = float(line_rate_mpps(row["link_gbps"], row["frame_bytes"]))
        answers.append(
            Answer(
                cell={str(name): row[name] for name in factors},
                line_rate_mpps=line_mpps,
                predicted_mpps=row["predicted_mpps"],
                lower_mpps=row["lower_mpps"],
                upper_mpps=row["upper_mpps"],
                sustains_line_rate=row["sustains_line_rate"],
                bottleneck=row["bottleneck"],
                measured_mpps=row["median"],
                measured_loads=row["size"],
                line_rate_sustained=row["median"] >= SUSTAINED_RATIO * line_mpps,
                inside=row["lower_mpps"] <= row["median"] <= row["upper_mpps"],
            )
        )
    return answers


def _print_answer(answer: Answer) -> None:
    """Lay what was predicted above what was measured afterwards."""
    cell = answer.cell
    sure = max(answer.sustains_line_rate, 1.0 - answer.sustains_line_rate)
    stdout.print(
        f"{cell['datapath']}, {cell['memory_accesses']} lookups, {cell['frame_bytes']} B, "
        f"{cell['queues']} queue(s): does it sustain {answer.line_rate_mpps:.3f} Mpps?\n"
        f"  predicted: {_yes(answer.sustains_line_rate >= 0.5)}, {sure:.0%} sure: "
        f"{answer.predicted_mpps:.3f} Mpps ({answer.lower_mpps:.3f} to {answer.upper_mpps:.3f}, "
        f"90 %), limited by {answer.bottleneck}\n"
        f"  measured:  {_yes(answer.line_rate_sustained)}: {answer.measured_mpps:.3f} Mpps "
        f"(median of {answer.measured_loads} program loads), "
        f"{'inside' if answer.inside else 'outside'} the interval"
    )


def _yes(sustained: bool) -> str:
    return "yes" if sustained else "no"
