"""A trend as one HTML page: what stepped, the picture, and every campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from linerate.files.outputs import write_whole
from linerate.models.trends.changes import Trend
from linerate.reports.language import Words
from linerate.reports.page.contents import headings
from linerate.reports.page.files import csv_of, rendered
from linerate.reports.page.page import Contents, Drawn, SectionPage, Shown, Written
from linerate.reports.page.provenance import Fact
from linerate.reports.page.template import page_html
from linerate.reports.trends.picture import draw_trend, texts_of, trend_table

METHOD = (
    "A campaign counts once: by the median over its program loads, of several cells their median, "
    "each relative to its own over all campaigns and weighed by the inverse of its spread.",
    "Levels are the groups of campaigns whose description is shortest (minimum description "
    "length), with one spread for all; a campaign alone is an outlier and no level.",
    "Intervals are of 90 %, given where the step is; a probability compares the series with the "
    "step to the series without it.",
)


def write_page(path: Path, found: Trend, cell: str, command: str) -> None:
    """Write the page; nothing in it is fetched from elsewhere.

    Parameters
    ----------
    path
        HTML file.
    found
        The trend.
    cell
        What it is of, as the user named it.
    command
        Line that makes it again.

    Raises
    ------
    LinerateError
        It cannot be written, or the disk is full.
    """
    words = Words()
    write_whole(path, page_html(_contents(found, cell, command, words), words).encode())


def _contents(found: Trend, cell: str, command: str, words: Words) -> Contents:
    part = SectionPage(
        title=cell or "All cells", anchor="trend", of_capacity=False, answer=tuple(found.lines()),
        formula="", tables=tuple(_tables(found)), figures=(_figure(found, cell, words),),
        omitted=(), doubts=(), facts=tuple(_facts(found)), notes=found.notes,
    )  # fmt: skip
    made = f"linerate trend, made {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return Contents(lang=words.lang, title="Where did the rate step?", made=made, apart="",
                    parts=(part,), method=METHOD, commands=(command,),
                    headings=headings(words))  # fmt: skip


def _figure(found: Trend, cell: str, words: Words) -> Drawn:
    table, texts = trend_table(found), texts_of(found, cell)
    drawn = draw_trend(table, words, unit=found.unit)
    forms = {"PNG": rendered(drawn.whole, "png", texts), "PDF": rendered(drawn.whole, "pdf", texts),
             "CSV": csv_of(table)}  # fmt: skip
    return Drawn(name="trend", title=texts["title"], caption=texts["caption"], files=tuple(
        Written(form=form, path=f"trend.{form.lower()}", content=content)
        for form, content in forms.items()))  # fmt: skip


def _tables(found: Trend) -> Iterator[Shown]:
    if found.changes:
        changes = pd.DataFrame([asdict(one) for one in found.changes])
        yield _shown("steps", "Steps of the level, the newest last", changes,
                     ["label", "campaign", "kind", "ratio", "lower", "upper", "probability"],
                     "Ratio: level after over level before, with its 90 % interval.")  # fmt: skip
        newest = pd.DataFrame([asdict(one) for one in found.changes[-1].cells])
        if not newest.empty:
            yield _shown("cells", "What each cell says of the newest step", newest,
                         ["cell", "ratio", "lower", "upper", "moved"],
                         "Each by its own campaigns; the interval is of 90 %.")  # fmt: skip
    yield _shown("campaigns", "Campaigns in order", found.samples,
                 ["campaign", "label", "value", "lower", "upper", "loads", "level"],
                 f"Value and level in {found.unit}; lower and upper are its smallest and largest "
                 f"{'program load' if found.cells == 1 else 'cell'}.")  # fmt: skip


def _shown(name: str, title: str, table: pd.DataFrame, columns: list[str], note: str) -> Shown:
    rows = [tuple(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row)
            for row in table[columns].itertuples(index=False)]  # fmt: skip
    file = Written(form="CSV", path=f"{name}.csv", content=csv_of(table[columns]))
    return Shown(name=name, title=title, header=tuple(columns), rows=tuple(rows), note=note,
                 file=file, in_answer=name == "steps")  # fmt: skip


def _facts(found: Trend) -> Iterator[Fact]:
    yield Fact(name="campaigns", value=str(len(found.samples)))
    yield Fact(name="cells", value=str(found.cells))
    yield Fact(name="spread of a campaign around its level", value=f"{found.spread_percent:.2g} %")
