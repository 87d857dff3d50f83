"""Page and picture of programs predicted, then measured: ``sudo python -m benchmarks.gallery``.

Measures each program of bpf/examples as benchmarks/objects.py does, with loops of class SCHED_IDLE
that keep the cores awake, and writes docs/gallery.csv, docs/gallery.png and
docs/gallery.md, with machine, date, load and spread. ``--kept`` measures nothing: page and picture
are made anew of the docs/gallery.csv that is there. ``--out`` names another folder, which a few
programs (``--only``) need; the page's links are those of docs/.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from benchmarks.gallery_table import read_kept
from benchmarks.objects import arguments, cells_of, measure_rows
from tests.awake import keep_awake

from linerate.errors import LinerateError, bad_input
from linerate.models.validation.spread import spread
from linerate.reports.drawing.colours import PATHS
from linerate.reports.drawing.style import marker, styled

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
HOOKS = {"xdp_native": "XDP native", "xdp_generic": "XDP generic"}
TICKS_NS = (50, 70, 100, 150, 200, 300, 400, 600, 900)
PREDICTORS = ("error", "by_hand", "by_repeat")
WITHIN = 0.1
"""Drawn as a band about equality."""
COMMAND = "sudo .venv/bin/python -m benchmarks.gallery"
BEGIN = """# Gallery: programs of one's own, predicted and then measured

Each program of [bpf/examples](../bpf/examples) with its maps and traffic: predicted by test runs in
the kernel upon what this machine's hooks cost, and measured in the veth lab in the same minutes,
{at_once}, no link in the way. Times are medians of {rounds} rounds of one test run and one lab run
on each hook: `{command}`, {date}, {cores}-CPU {cpu_model}{virtual},
kernel {kernel}, {minutes:.0f} min, a load of {load:.1f} when it began; loops of class `SCHED_IDLE`
kept the cores awake.

![Predicted over measured time of a packet, one mark for each program and traffic](gallery.png)

*The line is equality, the band 10 % about it. Marks are medians of {rounds}; lab runs of one
program and traffic spread over {spreads} in the median, largest less smallest.*
"""
BETWEEN = """
Errors are median / mean / P90 over programs and traffic. "By hand" is the calibrated base cost of
one verdict plus a test run, less that of an empty program: with linerate's test runs, which put
each frame back before the next pass, and with the kernel's own repeats (`bpftool prog run ...
repeat 200000`), which do not, so that a program that rewrites or answers a frame finds another one
from the second pass on. Where the traffic says "own", it is the frames beside the program; else UDP
of that size. What is asked of an object, and how to ask it: [a program of your own](objects.md).
"""


def source_of(name: object) -> Path:
    """Find an example in its folder."""
    (found,) = (ROOT / "bpf/examples").glob(f"*/{name}.bpf.c")
    return found


def examples() -> list[str]:
    """Name the programs of bpf/examples."""
    ends = (ROOT / "bpf/examples").glob("*/*.bpf.c")
    return sorted(path.name.removesuffix(".bpf.c") for path in ends)


def purpose(name: object) -> str:
    """Give the sentence that an example begins with."""
    text = source_of(name).read_text()
    words = text[text.index("/*") + 2 : text.index("*/")]
    return " ".join(word for word in words.split() if word != "*")


def errors(found: pd.DataFrame) -> Iterator[str]:
    """Say for each hook how far predictions are off."""
    yield ("| | linerate | by hand, frames put back | by hand, the kernel's repeats "
           "| measurements inside |\n|---|---|---|---|---|")  # fmt: skip
    for hook, name in HOOKS.items():
        own = found[found.datapath == hook]
        yield f"| {name} | {' | '.join(off(own[one]) for one in PREDICTORS)} | {inside(own)} |"


def off(errors: pd.Series[float]) -> str:
    """Say by how much a predictor is off."""
    found = spread(np.asarray(errors, dtype=np.float64))
    return f"{found.median_percent:.1f} / {found.mean_percent:.1f} / {found.p90_percent:.1f} %"


def inside(found: pd.DataFrame) -> str:
    """Say how many measurements their intervals hold."""
    return f"{found.inside.sum()} of {found.runs.sum()}"


def rows(found: pd.DataFrame) -> Iterator[str]:
    """Rows of the table: a program and its traffic, both hooks beside each other."""
    yield ("| program | what it does | traffic | native: predicted, measured, ns "
           "| generic: predicted, measured, ns |\n|---|---|---|---|---|")  # fmt: skip
    before = None
    for (name, traffic), own in found.groupby(["program", "traffic"], sort=False):
        by_hook = own.set_index("datapath")
        times = [
            f"{by_hook.predicted_ns[hook]:.0f}, {by_hook.measured_ns[hook]:.0f} "
            f"({100 * by_hook.error[hook]:+.1f} %)"
            for hook in HOOKS
        ]
        source = f"[{name}](../{source_of(name).relative_to(ROOT)})"
        what = purpose(name) if name != before else ""
        before = name
        yield f"| {source} | {what} | {traffic} | {times[0]} | {times[1]} |"


def command(facts: dict[str, Any]) -> str:
    """Say by which command it was measured."""
    words = f"{COMMAND} --rounds {facts['rounds']}"
    if facts["queues"] != 1:
        words += f" --queues {facts['queues']}"
    if facts.get("only"):
        words += f" --out FOLDER --only {' '.join(facts['only'])}"
    return words


def page(found: pd.DataFrame, facts: dict[str, Any]) -> str:
    """Compose the page: what was done, when and where, errors, and a row for each program.

    Parameters
    ----------
    found
        As ``cells_of`` gives it.
    facts
        What ``measure`` kept of the machine and the hour.
    """
    spreads = " and ".join(
        f"{100 * found[found.datapath == hook].spread.median():.0f} % ({name})"
        for hook, name in HOOKS.items()
    )
    at_once = "one queue" if facts["queues"] == 1 else f"{facts['queues']} queues"
    begin = BEGIN.format(**facts, command=command(facts), spreads=spreads, at_once=at_once)
    return "\n".join([begin, *errors(found), BETWEEN, *rows(found), ""])


@styled()
def draw(found: pd.DataFrame, path: Path) -> None:
    """Draw predicted over measured times, a mark for each program and traffic."""
    figure, axes = plt.subplots(figsize=(5.2, 4.2))
    ends = [0.9 * found.measured_ns.min(), 1.1 * found.measured_ns.max()]
    axes.plot(ends, ends, color="0.4", linewidth=0.8)
    axes.fill_between(ends, [(1 - WITHIN) * end for end in ends],
                      [(1 + WITHIN) * end for end in ends], color="0.92")  # fmt: skip
    for number, (hook, name) in enumerate(HOOKS.items()):
        own = found[found.datapath == hook]
        axes.plot(own.measured_ns, own.predicted_ns, marker(number), color=PATHS[hook],
                  label=name)  # fmt: skip
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(TICKS_NS, [str(tick) for tick in TICKS_NS])
        axis.set_ticks([], minor=True)
    axes.set(xlim=ends, ylim=ends)
    axes.set_xlabel("Measured time of a packet (ns)")
    axes.set_ylabel("Predicted before it was measured (ns)")
    axes.legend()
    figure.savefig(path, dpi=180, metadata={"Software": None})


def measure(asked: argparse.Namespace, table: Path) -> None:
    """Measure, and write the table; its first line is machine and hour.

    Raises
    ------
    LinerateError
        This machine cannot: no root, no compiled programs.
    """
    load, begun_s = os.getloadavg()[0], time.monotonic()
    end = keep_awake()
    try:
        box, every = measure_rows(asked)
    finally:
        end()
    facts = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}", "rounds": asked.rounds, "queues": asked.queues,
        "only": asked.only or [],
        "cores": box.cores, "cpu_model": box.cpu_model, "kernel": box.kernel.split("-")[0],
        "virtual": "" if box.hypervisor == "none" else " VM", "load": load,
        "minutes": (time.monotonic() - begun_s) / 60,
    }  # fmt: skip
    table.write_text(f"# {json.dumps(facts)}\n{cells_of(every).to_csv(index=False)}")


def check(asked: argparse.Namespace) -> None:
    """Refuse what would spoil the page of all programs, or has nothing to be made of.

    Raises
    ------
    BadInputError
        A few programs for docs/, or no such folder; no table that was kept.
    """
    if not asked.out.is_dir():
        raise bad_input("--out", asked.out, why="there is no such folder", allowed="a folder",
                        do="make it first")  # fmt: skip
    if asked.only and asked.out.resolve() == DOCS:
        raise bad_input("--only", " ".join(asked.only), why="docs/gallery.* are of all programs",
                        allowed="another folder", do="name it by --out")  # fmt: skip
    table = asked.out / "gallery.csv"
    if asked.kept and not table.is_file():
        raise bad_input("--kept", table, why="there is no such table", allowed="one that was "
                        "measured", do=f"measure first: {COMMAND}")  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Measure, then write the table, the picture and the page."""
    parser = arguments("Predict and measure the programs of bpf/examples; write docs/gallery.*.")
    parser.add_argument("--kept", action="store_true", help="measure nothing: of the table there")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder; docs/ if left out")
    asked = parser.parse_args(words)
    table = asked.out / "gallery.csv"
    try:
        check(asked)
        if not asked.kept:
            measure(asked, table)
        facts, found = read_kept(table, examples(), HOOKS)
    except LinerateError as error:
        print(f"gallery: {error}", file=sys.stderr)
        return error.exit_code
    draw(found, table.with_suffix(".png"))
    table.with_suffix(".md").write_text(page(found, facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
