"""The packet roofline: rate over time in the program, below the link and the queues' cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from linerate.models.objects import ObjectAnswer
from linerate.reports.drawing.axes import log_axis
from linerate.reports.drawing.keys import key_entry, key_mark, key_measured
from linerate.reports.drawing.marks import line, of
from linerate.reports.drawing.panels import Layout, Panels, panels
from linerate.reports.drawing.style import INK, LINE_RATE, colour, marker, styled
from linerate.reports.figures.labels import LINE_RATE_NAME, THROUGHPUT
from linerate.reports.language import Words, message
from linerate.reports.validation.files import write_files

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

TITLE = message("Packet roofline")
STEPS = 160
NS_MIN = 0.5
"""A program that takes less is drawn here: no test run tells less from nothing."""
ROOM = 3.0
"""Times that the axis goes on beyond what is drawn at either end."""
CORES: dict[str, Any] = {"linestyle": ":", "linewidth": 0.9}


def roofline_table(answers: Sequence[ObjectAnswer]) -> pd.DataFrame:
    """Tabulate what is drawn of one program on each traffic.

    Returns
    -------
    Columns ``traffic`` (place among the answers), ``frame_bytes, queues, datapath, sustains``, and
    ``series, program_ns, mpps`` with their ends ``min_`` and ``max_``. Of each traffic the series
    are ``program`` (its prediction), ``budget`` (the most time in the program at line rate, where
    a program has any), ``line_rate`` and ``cores`` (both ceilings, from end to end; the first only
    on a link that has a rate) and ``curve``.
    """
    ends = _ends_ns(answers)
    return pd.concat(
        [_of_one(place, answer, ends) for place, answer in enumerate(answers)], ignore_index=True
    )


def _ends_ns(answers: Sequence[ObjectAnswer]) -> tuple[float, float]:
    ends = [end for one in answers for end in (one.lower_program_ns, one.upper_program_ns)]
    times = [max(each, NS_MIN) for each in ends]
    times += [budget for one in answers if (budget := _budget_ns(one)) > NS_MIN]
    # With as much time in the program as around it, the rate is half of what the cores can do.
    halving = [one.base_ns for one in answers]
    return min(times) / ROOM, max(*times, *halving) * ROOM


def _budget_ns(answer: ObjectAnswer) -> float:
    """Most time in the program at line rate; not positive where the rest takes it all."""
    return answer.headroom_ns + answer.program_ns


def _of_one(place: int, answer: ObjectAnswer, ends_ns: tuple[float, float]) -> pd.DataFrame:
    grid = np.geomspace(*ends_ns, STEPS)
    cores_mpps = 1e3 * answer.queues / (answer.base_ns + grid)
    flat = {"cores": 1e3 * answer.queues / answer.base_ns, "line_rate": answer.line_rate_mpps}
    parts = [
        pd.DataFrame({
            "series": "program", "program_ns": [max(answer.program_ns, NS_MIN)],
            "min_program_ns": max(answer.lower_program_ns, NS_MIN),
            "max_program_ns": max(answer.upper_program_ns, NS_MIN),
            "mpps": answer.predicted_mpps, "min_mpps": answer.lower_mpps,
            "max_mpps": answer.upper_mpps,
        }),
        *(pd.DataFrame({"series": name, "program_ns": ends_ns, "mpps": mpps})
          for name, mpps in flat.items() if np.isfinite(mpps)),
        pd.DataFrame({"series": "curve", "program_ns": grid,
                      "mpps": np.minimum(cores_mpps, answer.line_rate_mpps)}),
    ]  # fmt: skip
    if _budget_ns(answer) > NS_MIN and np.isfinite(answer.line_rate_mpps):
        parts.append(pd.DataFrame({
            "series": "budget", "program_ns": [_budget_ns(answer)], "mpps": answer.line_rate_mpps,
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True).assign(
        traffic=place, frame_bytes=answer.frame_bytes, queues=answer.queues,
        datapath=answer.datapath, sustains=answer.sustains,
    )  # fmt: skip


@styled()
def draw_roofline(table: pd.DataFrame, words: Words, ax: Axes | None = None) -> Panels:
    """Draw rates over time in the program: ceilings, curves, and the program's place.

    Parameters
    ----------
    table
        As ``roofline_table`` gives it.
    words
        The reader's language.
    ax
        Axes to draw in.
    """
    grid = panels(Layout(rows=1, columns=1, row_inches=3.0), ax)
    axes = grid.axes[0, 0]
    names = []
    for place, (_, rows) in enumerate(table.groupby("traffic")):
        _draw_one(axes, rows, place)
        names.append(_name(rows, words))
    axes.set_xlim(float(table["program_ns"].min()), float(table["program_ns"].max()))
    rates = table.loc[table["series"] != "curve", ["mpps", "min_mpps"]].to_numpy(dtype=float)
    axes.set_ylim(0.4 * float(np.nanmin(rates)), 1.6 * float(np.nanmax(rates)))
    log_axis(axes, "x", words)
    log_axis(axes, "y", words)
    grid.label(words("Time in the program (ns a packet)"), words(THROUGHPUT))
    grid.key(_key(table, names, words))
    return grid


def _draw_one(axes: Axes, rows: pd.DataFrame, place: int) -> None:
    own = colour(place)
    line(axes, of(rows, "line_rate"), "program_ns", "mpps", **LINE_RATE)
    line(axes, of(rows, "cores"), "program_ns", "mpps", color=own, **CORES)
    line(axes, of(rows, "curve"), "program_ns", "mpps", color=own)
    budget = of(rows, "budget")
    axes.plot(budget["program_ns"], budget["mpps"], marker="|", markersize=9, linestyle="",
              zorder=3, color=own)  # fmt: skip
    point = of(rows, "program").iloc[0]
    reach = [
        [[point[name] - point[f"min_{name}"]], [point[f"max_{name}"] - point[name]]]
        for name in ("program_ns", "mpps")
    ]
    axes.errorbar(point["program_ns"], point["mpps"], xerr=reach[0], yerr=reach[1], zorder=4,
                  marker=marker(place), markersize=6, elinewidth=1.0, color=own)  # fmt: skip


def _name(rows: pd.DataFrame, words: Words) -> str:
    first = rows.iloc[0]
    queues = words.plural("{n} queue", "{n} queues", int(first["queues"]))
    sustained = words("line rate sustained") if first["sustains"] else words("not sustained")
    return f"{words.number(first['frame_bytes'])} B, {queues}:\n{sustained}"


def _key(table: pd.DataFrame, names: list[str], words: Words) -> list[Artist]:
    there = set(table["series"])
    entries = [key_mark(name, place) for place, name in enumerate(names)]
    entries.append(key_measured(words("the program,\n90 % interval"), markersize=6))
    if "line_rate" in there:
        entries.append(key_entry(words(LINE_RATE_NAME), **LINE_RATE))
    entries.append(key_entry(words("cores, of a program\nthat does nothing"), **CORES))
    if "budget" in there:
        entries.append(key_entry(words("most time in the program\nat line rate"), marker="|",
                                 markersize=9, linestyle="", color=INK))  # fmt: skip
    return entries


def roofline_caption(table: pd.DataFrame, program: str, box: str, words: Words) -> Iterator[str]:
    """Say what is drawn, one sentence each."""
    there = set(table["series"])
    sizes = ", ".join(words.number(size) for size in table["frame_bytes"].unique())
    yield words("Program {program} on {datapath} of box {box}; frames of {sizes} B.",
                program=program, datapath=str(table["datapath"].iloc[0]), box=box,
                sizes=sizes)  # fmt: skip
    yield words("Marks: predicted rate at the time that test runs took in the program, with 90 % "
                "intervals.")  # fmt: skip
    yield words("Lines: the rate of the cores by the time in the program, up to line rate; dotted: "
                "of a program that does nothing.")  # fmt: skip
    if "line_rate" in there:
        yield words("Dashed: line rate.")
    if "budget" in there:
        yield words("Bars across: the most time in the program at which line rate is reached.")


def write_roofline(path: Path, program: str, answers: Sequence[ObjectAnswer]) -> tuple[Path, Path]:
    """Write the picture, and beside it the CSV of what is drawn; return both paths."""
    table, words = roofline_table(answers), Words()
    caption = " ".join(roofline_caption(table, program, answers[0].box, words))
    return write_files(path, draw_roofline(table, words), table,
                       {"title": words(TITLE), "caption": caption})  # fmt: skip
