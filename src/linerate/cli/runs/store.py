"""``linerate store``: many campaigns in one place, added, listed, asked and verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from linerate.cli.output import (
    JsonFlag,
    print_errors,
    print_json,
    print_notes,
    progress_shown,
    stderr,
    stdout,
)
from linerate.errors import bad_input, bad_name
from linerate.files.outputs import check_table

if TYPE_CHECKING:
    import pandas as pd

    from linerate.campaigns.store import CampaignStore

ACTIONS = ("add", "list", "query", "verify")
SHOWN_MAX = 60
"""Rows that are printed; --json and --out have them all."""
LISTED = ("campaign", "box", "kernel", "commit", "started_at", "runs")
EXAMPLES = """
Examples:
  linerate store add lab.store results/quick
  linerate store add sftp://lab/store results/* --commit 4f2a9c1
  linerate store list lab.store
  linerate store query lab.store "select box, count(*) from runs group by box"
  linerate store query lab.store "from runs where queues = 2" --out runs.parquet
  linerate store verify lab.store --json
"""


def store(  # noqa: PLR0913 - one parameter per option
    action: Annotated[str, typer.Argument(metavar="ACTION", help="add, list, query or verify.")],
    place: Annotated[
        str, typer.Argument(metavar="STORE", help="Folder, or an address such as sftp://host/dir.")
    ],
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUNS...|SQL]", help="To add: campaign folders or tables of runs. "
                       "To query: one select over the tables runs and campaigns."),
    ] = None,
    commit: Annotated[
        str | None,
        typer.Option("--commit", help="add: what was measured, for linerate trend --by commit."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--replace", help="add: put a campaign in the place of its earlier runs."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="query: table to write, .csv or .parquet."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Keep the runs of many campaigns in one place, and ask of all of them in SQL.

    A store is a folder, or any address that fsspec knows, with the runs of each campaign in a file
    of its own: many may add at once, and what is spoiled is named while the rest answers. query
    reads, and nothing else. verify hashes every file, and exits with 1 where one is not as written.
    """
    # Slow to load: not for --help.
    from linerate.campaigns.store import store as open_store

    _check(action, what or [], {"--commit": commit, "--replace": again}, out)
    opened = open_store(place)
    if action == "add":
        _add(opened, what or [], commit, again, as_json)
    elif action == "list":
        _list(opened, as_json)
    elif action == "query":
        _query(opened, (what or [""])[0], out, as_json)
    else:
        _verify(opened, as_json)


def _check(action: str, what: list[str], adding: dict[str, object], out: Path | None) -> None:
    """Refuse words that an action has no use for, before anything is read."""
    if action not in ACTIONS:
        raise bad_name("action", action, why="a store has no such thing", known=ACTIONS)
    if action == "add" and not what:
        raise bad_input("runs", "", why="nothing is named", allowed="campaign folders or tables",
                        do="name what to add")  # fmt: skip
    if action == "query" and len(what) != 1:
        raise bad_input("sql", " ".join(what), why=f"{len(what)} words where one is asked for",
                        allowed="one question, in quotes", do='as in "select count(*) from runs"',
                        )  # fmt: skip
    if action in ("list", "verify") and what:
        raise bad_input("argument", what[0], why=f"{action} takes the store alone",
                        allowed="nothing behind it", do="leave it out")  # fmt: skip
    foreign = [name for name, value in adding.items() if value and action != "add"]
    foreign += ["--out"] if out is not None and action != "query" else []
    if foreign:
        raise bad_input("action", action, why=f"it does not know {foreign[0]}", allowed="--json, "
                        "--quiet", do="leave it out")  # fmt: skip
    if out is not None:
        check_table(out)


def _add(
    opened: CampaignStore, paths: list[str], commit: str | None, again: bool, as_json: bool
) -> None:
    added = opened.add(*paths, commit=commit, again=again, progress=progress_shown())
    if as_json:
        print_json({"store": opened.place.name, "campaigns": [
            {"state": one.state, "campaign_id": one.manifest.id, "campaign": one.manifest.campaign,
             "box": one.manifest.box, "runs": one.manifest.runs, "part": one.manifest.part}
            for one in added
        ]})  # fmt: skip
        return
    for one in added:
        stdout.print(f"{one.state}: {one.manifest.campaign} of {one.manifest.box}, "
                     f"{one.manifest.runs} runs")  # fmt: skip
    stderr.print(f"next: linerate store list {opened.place.name}")


def _list(opened: CampaignStore, as_json: bool) -> None:
    listing = opened.listing()
    print_notes(f"cannot be read: {one}" for one in listing.broken)
    table = listing.table
    if as_json:
        print_json({"campaigns": table.to_dict("records"), "broken": list(map(str, listing.broken)),
                    })  # fmt: skip
        return
    count, boxes = len(table), table["box"].nunique()
    stdout.print(
        f"{count} {'campaign' if count == 1 else 'campaigns'}, {table['runs'].sum()} runs, "
        f"{boxes} {'box' if boxes == 1 else 'boxes'}"
    )
    shown = table[list(LISTED)].tail(SHOWN_MAX)
    minutes = shown["started_at"].str.slice(0, len("2026-11-23T01:00")).str.replace("T", " ")
    _print_rows(shown.assign(started_at=minutes), len(table), "--json lists all")


def _query(opened: CampaignStore, sql: str, out: Path | None, as_json: bool) -> None:
    from linerate.files.outputs import write_table

    answer = opened.query(sql)
    print_notes(answer.notes)
    if out is not None:
        write_table(out, answer.table)
        stderr.print(f"wrote {out}")
    elif as_json:
        print_json({"rows": answer.table.to_dict("records"), "notes": answer.notes})
    else:
        _print_rows(answer.table.head(SHOWN_MAX), len(answer.table), "--json or --out has all")


def _verify(opened: CampaignStore, as_json: bool) -> None:
    found = opened.verify(progress=progress_shown())
    if as_json:
        print_json({"campaigns": found.campaigns, "size_bytes": found.size_bytes,
                    "broken": [{"path": one.path, "campaign": one.campaign, "why": one.why}
                               for one in found.broken], "unnamed": found.unnamed})  # fmt: skip
    else:
        whole = "campaign as it was" if found.campaigns == 1 else "campaigns as they were"
        stdout.print(f"{found.campaigns} {whole} written, "
                     f"{found.size_bytes / 1e6:.1f} MB")  # fmt: skip
        print_notes(f"never read, and may be deleted: {path}" for path in found.unnamed)
        print_errors(f"broken: {one}" for one in found.broken)
    if found.broken:
        raise typer.Exit(1)


def _print_rows(rows: pd.DataFrame, count: int, more: str) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in rows.columns:
        table.add_column(str(name), overflow="fold")
    for row in rows.itertuples(index=False, name=None):
        table.add_row(*map(_shown, row))
    stdout.print(table)
    if count > len(rows):
        stderr.print(f"{len(rows)} of {count} rows: {more}")


def _shown(value: object) -> str:
    if value is None or value != value:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
