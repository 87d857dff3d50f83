"""``linerate predict`` and ``linerate fits``: what a model says of cells not measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from linerate.cli.mixes import asked_columns
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.cli.under_load import load_words, under_load
from linerate.errors import BadInputError, bad_input
from linerate.line_rate import TOLERANCE_RATIO, likely_sustained
from linerate.models.modelfile import ModelFile
from linerate.models.saved import load_model
from linerate.outputs import check_table, write_table
from linerate.records import Predictions
from linerate.runs import read_table
from linerate.units import line_rate_mpps

EXAMPLES = (
    "Examples: [bold]linerate predict model.json --datapath xdp_native --memory-accesses 100 "
    "--frame-bytes 64 --queues 2[/]  |  "
    "[bold]linerate predict model.json --cells cells.csv --out predicted.csv[/]"
)
LINK_GBPS = 10.0
SINGLE = ("datapath", "memory_accesses", "frame_bytes", "queues")

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL.json", help="From linerate fit.")]
CheckFlag = Annotated[
    bool, typer.Option("--check", help="Exit with 1 where line rate is not sustained.")
]
LinkOption = Annotated[float, typer.Option("--link-gbps", help="Link speed, Gbit/s.")]


def predict(  # noqa: PLR0913 - one option per factor
    model: ModelArgument,
    datapath: Annotated[str | None, typer.Option(help="xdp_native, xdp_generic, ...")] = None,
    memory_accesses: Annotated[int | None, typer.Option(help="Accesses per packet.")] = None,
    frame_bytes: Annotated[float | None, typer.Option(help="Frame size with FCS, B.")] = None,
    queues: Annotated[int | None, typer.Option(help="Receive queues, one core each.")] = None,
    link_gbps: LinkOption = LINK_GBPS,
    offered_mpps: Annotated[
        float | None, typer.Option(help="Sustained load; adds latency and CPU.")
    ] = None,
    program: Annotated[
        str | None, typer.Option(help="Needed where the datapath ran several.")
    ] = None,
    operations: Annotated[
        str | None,
        typer.Option(
            help="What each packet executes: table_exact=5,add=10, or a pipeline's .spec."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="Another column of the cell, NAME=VALUE: flows=8192, chain_length=4, "
            "filter_hook=input; several times for several."
        ),
    ] = None,
    cells: Annotated[Path | None, typer.Option(help="Table of cells instead of one cell.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the table with predictions goes.")] = None,
    json: JsonFlag = False,
    check: CheckFlag = False,
) -> None:
    """Predict throughput with a 90 % interval, the bottleneck, and the chance of line rate."""
    fitted = load_model(model)
    factors: dict[str, object] = {
        "datapath": datapath, "memory_accesses": memory_accesses, "frame_bytes": frame_bytes,
        "queues": queues, "link_gbps": link_gbps, "offered_mpps": offered_mpps, "program": program,
    }  # fmt: skip
    factors |= asked_columns(operations, setting or (), fitted.mixes)
    if cells is not None:
        _refuse_both(factors)
        predictions = _predict_table(fitted, cells, out, link_gbps)
        if json:
            print_json(_summary(fitted, predictions, cells, out))
    else:
        _refuse_out(out)
        predictions = _predict_one(fitted, factors, json)
    if check and not likely_sustained(predictions.sustains_line_rate).all():
        raise typer.Exit(1)


def _refuse_both(factors: Mapping[str, object]) -> None:
    given = [name for name, value in factors.items() if value is not None and name != "link_gbps"]
    if given:
        raise bad_input("cells", "a table", why="named with " + ", ".join(given),
                        allowed="--cells or one cell's options", do="leave one out")  # fmt: skip


def _refuse_out(out: Path | None) -> None:
    if out is not None:
        raise bad_input("out", out, why="one cell's answer is printed", allowed="--out with "
                        "--cells", do="leave it out, or put the cell into a table")  # fmt: skip


def _predict_table(
    fitted: ModelFile, cells: Path, out: Path | None, link_gbps: float
) -> Predictions:
    if out is None:
        raise bad_input("out", "", why="--cells needs a table to write", allowed="a .csv or "
                        ".parquet path", do="add --out PREDICTED.csv")  # fmt: skip
    check_table(out, [cells])
    table = read_table(cells)
    _refuse_predicted(table, cells)
    if "link_gbps" not in table.columns:
        stderr.print(f"no link_gbps column: taken as {link_gbps:g}")
    with_link = table if "link_gbps" in table.columns else table.assign(link_gbps=link_gbps)
    try:
        predictions = fitted.predict(with_link)
    except BadInputError as error:
        raise BadInputError(f"{cells}: {error}") from error
    answer = table.assign(**predictions.columns())
    write_table(out, answer)
    outside = int((~predictions.in_domain).sum())
    for note in _notes(fitted, with_link):
        stderr.print(f"note: {note}")
    stderr.print(f"wrote {out}: {len(answer)} cells, {outside} outside the training domain")
    return predictions


def _refuse_predicted(table: pd.DataFrame, path: Path) -> None:
    there = [name for name in Predictions.__slots__ if name in table.columns]
    if there:
        raise bad_input("columns", ", ".join(there), why=f"{path} has them already, and they would "
                        "be lost", allowed="cells without the columns that predict adds",
                        do="rename or drop them")  # fmt: skip


def _notes(fitted: ModelFile, cells: pd.DataFrame) -> tuple[str, ...]:
    """Say what the model's runs could not tell of these cells' programs."""
    if not fitted.by_accesses:
        return ()
    names = [name for name in ("datapath", "program") if name in cells.columns]
    asked = set(map(tuple, cells[names].astype(str).drop_duplicates().to_numpy()))
    return fitted.predictor.notes_on(
        {pair for pair in fitted.predictor.pairs if tuple(pair)[: len(names)] in asked}
    )


def _summary(
    fitted: ModelFile, predictions: Predictions, cells: Path, out: Path | None
) -> dict[str, object]:
    return {
        "cells": str(cells), "out": str(out), "rows": len(predictions.predicted_mpps),
        "outside_domain": int((~predictions.in_domain).sum()),
        "sustain_line_rate": int(likely_sustained(predictions.sustains_line_rate).sum()),
        "boxes": fitted.provenance.boxes,
    }  # fmt: skip


def _predict_one(fitted: ModelFile, factors: Mapping[str, object], json: bool) -> Predictions:
    given = {name: value for name, value in factors.items() if value is not None}
    if fitted.mixes is not None and "datapath" in given:
        stepped = bool(fitted.mixes.knows(pd.DataFrame([given]))[0])
        given = ({"memory_accesses": 0} if stepped else {}) | given
    missing = [name for name in SINGLE if name not in given]
    if missing:
        options = ", ".join("--" + name.replace("_", "-") for name in missing)
        raise bad_input("options", "", why=f"missing {options}",
                        allowed="all factors of one cell, or --cells", do="add them")  # fmt: skip
    cell = pd.DataFrame([given])
    _check_offered(cell)
    predictions = fitted.predict(cell)
    notes = _notes(fitted, cell)
    answer = {name: column[0] for name, column in predictions.columns().items()}
    answer |= under_load(fitted, cell, predictions)
    if json:
        print_json(given | answer | {"notes": notes, "boxes": fitted.provenance.boxes})
    else:
        stdout.print(_sentence(predictions, answer))
        for note in notes:
            stdout.print(f"Note: {note}.")
    return predictions


def _check_offered(cell: pd.DataFrame) -> None:
    """Refuse a load that no link carries; inf is a flood."""
    if "offered_mpps" not in cell.columns:
        return
    offered_mpps = float(cell["offered_mpps"].iloc[0])
    line_mpps = float(line_rate_mpps(cell["link_gbps"], cell["frame_bytes"])[0])
    if not (0.0 < offered_mpps <= TOLERANCE_RATIO * line_mpps or np.isposinf(offered_mpps)):
        raise bad_input("offered_mpps", f"{offered_mpps:g}", why="no load is offered so",
                        allowed=f"above 0, up to line rate ({line_mpps:.4g} Mpps), or inf",
                        do="correct the load, frame size or link")  # fmt: skip


def _sentence(predictions: Predictions, answer: dict[str, object]) -> str:
    said = (
        f"{predictions.predicted_mpps[0]:.4g} Mpps "
        f"({predictions.lower_mpps[0]:.4g} to {predictions.upper_mpps[0]:.4g}, 90 %), "
        f"limited by {predictions.bottleneck[0]}; "
        f"line rate sustained: {predictions.sustains_line_rate[0]:.0%} sure"
    )
    said += load_words(answer)
    if not predictions.in_domain[0]:
        said += "\nOutside what was measured: the interval is widened, and 90 % is not promised."
    return said
