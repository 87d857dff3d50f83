"""``linerate predict``: what a model says of cells that were not measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.later import load_later
from linerate.cli.output import JsonFlag, print_answer, print_json, stderr
from linerate.errors import BadInputError, bad_input
from linerate.files.outputs import check_table, write_table
from linerate.links import LINK_GBPS

if TYPE_CHECKING:
    from linerate.face.model import Model

EXAMPLES = """
Examples:
  linerate predict model.json --datapath xdp_native --memory-accesses 50 --frame-bytes 64 --queues 2
  linerate predict model.json --cells cells.csv --out predicted.csv
  linerate predict runs.csv --same-loads --datapath xdp_native --memory-accesses 50 \
    --frame-bytes 96 --queues 1
"""

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL.json", help="From linerate fit.")]
CheckFlag = Annotated[
    bool, typer.Option("--check", help="Exit with 1 where line rate is not sustained.")
]
LinkOption = Annotated[float, typer.Option("--link-gbps", help="Link speed, Gbit/s.")]


def predict(  # noqa: PLR0913 - one option per factor
    model: ModelArgument,
    datapath: Annotated[
        str | None,
        typer.Option(
            help="xdp_native, xdp_generic, af_xdp, tc, netfilter, nftables, iptables, "
            "chain or swx, as far as the model has seen it."
        ),
    ] = None,
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
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Table to write: CELLS with the predictions.")
    ] = None,
    same_loads: Annotated[
        bool,
        typer.Option(
            "--same-loads",
            help="MODEL.json is runs instead, whose very program loads are asked about at a frame "
            "size that was not measured of them.",
        ),
    ] = False,
    json: JsonFlag = False,
    check: CheckFlag = False,
) -> None:
    """Predict a rate, the 90 % interval of one load, what limits it, the chance of line rate."""
    load_later("pandas")  # which a rate of one cell does without
    # Slow to load: not for --help.
    from linerate.cli.models.operations import operations_of, settings_of
    from linerate.face.model import Model
    from linerate.line_rate import likely_sustained
    from linerate.models.file.saved import load_model, load_rates

    if same_loads:
        from linerate.cli.models.same_loads import predict_same_loads  # slow to load

        given = {"--cells": cells, "--offered-mpps": offered_mpps, "--operations": operations,
                 "--set": setting or None, "--out": out}  # fmt: skip
        cell = {"datapath": datapath, "program": program, "memory_accesses": memory_accesses,
                "frame_bytes": frame_bytes, "queues": queues, "link_gbps": link_gbps}  # fmt: skip
        likely = predict_same_loads(model, cell, given, json=json)
        if check and not likely:
            raise typer.Exit(1)
        return
    only_rates = cells is None and offered_mpps is None and operations is None and not setting
    fitted = Model(file=(load_rates if only_rates else load_model)(model))
    factors: dict[str, object] = {
        "memory_accesses": memory_accesses, "frame_bytes": frame_bytes, "queues": queues,
        "offered_mpps": offered_mpps, **settings_of(setting or ()),
    }  # fmt: skip
    if cells is not None:
        executed = {"datapath": datapath, "program": program, "operations": operations}
        _refuse_both(executed | factors)
        likely = _predict_table(fitted, cells, out, link_gbps, json=json)
    else:
        _refuse_out(out)
        if datapath is None:
            raise bad_input("datapath", "", why="no cell is named",
                            allowed="--datapath and the factors of one cell, or --cells CELLS.csv",
                            do="add --datapath")  # fmt: skip
        answer = fitted.predict(
            datapath, program, link_gbps=link_gbps, **factors,
            operations=None if operations is None else operations_of(operations),
        )  # fmt: skip
        if answer.load is not None and answer.load.why_no_latency:
            stderr.print(f"no latency: {answer.load.why_no_latency}")
        if json:
            print_json(answer.to_dict())
        else:
            print_answer(answer)
        likely = bool(likely_sustained(answer.sustains_line_rate))
    if check and not likely:
        raise typer.Exit(1)


def _refuse_both(factors: Mapping[str, object]) -> None:
    given = [name for name, value in factors.items() if value is not None]
    if given:
        raise bad_input("cells", "a table", why="named with " + ", ".join(given),
                        allowed="--cells or one cell's options", do="leave one out")  # fmt: skip


def _refuse_out(out: Path | None) -> None:
    if out is not None:
        raise bad_input("out", out, why="one cell's answer is printed", allowed="--out with "
                        "--cells", do="leave it out, or put the cell into a table")  # fmt: skip


def _predict_table(
    fitted: Model, cells: Path, out: Path | None, link_gbps: float, *, json: bool
) -> bool:
    """Write the table with predictions; return whether every cell likely sustains line rate."""
    from linerate.line_rate import likely_sustained
    from linerate.tables.runs import read_table

    if out is None:
        raise bad_input("out", "", why="--cells needs a table to write", allowed="a .csv or "
                        ".parquet path", do="add --out PREDICTED.csv")  # fmt: skip
    check_table(out, [cells])
    table = read_table(cells)
    if "link_gbps" not in table.columns:
        stderr.print(f"no link_gbps column: taken as {link_gbps:g}")
    try:
        answer = fitted.predict(table, link_gbps=link_gbps)
    except BadInputError as error:
        raise BadInputError(f"{cells}: {error}") from error
    write_table(out, answer)
    outside = int((~answer["in_domain"]).sum())
    likely = likely_sustained(answer["sustains_line_rate"])
    for note in fitted.notes_on(table):
        stderr.print(f"note: {note}")
    stderr.print(f"wrote {out}: {len(answer)} cells, {outside} outside the training domain")
    if json:
        print_json({
            "cells": str(cells), "out": str(out), "rows": len(answer), "outside_domain": outside,
            "sustain_line_rate": int(likely.sum()), "boxes": fitted.file.provenance.boxes,
        })  # fmt: skip
    return bool(likely.all())
