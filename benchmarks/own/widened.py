"""What pipelines gain whose metadata does not wait: keys and ports in fields of 64 bits.

``sudo python benchmarks/own/widened.py FOLDER``. Pipelines as p4c writes them copy addresses and
ports of a packet to metadata fields of 8 to 32 bits in turn, and DPDK reads each as 8 bytes, of
which the one before was just written. Each of those pipelines is measured as it is and with these
fields declared as 64 bits, all in turn. Printed is what a packet takes, and what the shipped costs
say of the change; ``FOLDER/widened.png`` shows both.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
from judged import measured
from later_specs import later_specs
from matplotlib import pyplot as plt
from pipelines import SHORT, cell_of, measured_ns, paths_of, tables_in
from specs import own_specs

from linerate.face.fits.pipelines import SHIPPED
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.spec.widened import longer, widened
from linerate.models.file.saved import load_model
from linerate.models.pipelines.case import cases_of
from linerate.reports.drawing.dots import named_rows
from linerate.reports.drawing.keys import key_entry
from linerate.reports.drawing.style import GREY, colour, marker, styled

COPIED = re.compile(r"key_\w+|src|dst|sport|dport|protocol")
"""Fields of metadata that a packet's are copied to."""
SIZE = (5.5, 3.6)
"""Of the picture, inches."""


def write_campaign(folder: Path) -> None:
    """Write pipelines, entries and the campaign."""
    folder.mkdir(parents=True)
    cells = []
    for name, (text, tables) in (own_specs() | later_specs()).items():
        spec = parse_spec(text)
        copied = [each for each in spec.structs[spec.metadata] if COPIED.fullmatch(each)]
        if not copied:
            continue
        found = widened(spec, copied)
        there = longer(spec, found, tables)
        for kind, written, filled in (("as_it_is", text, tables),
                                      ("widened", print_spec(found), there)):  # fmt: skip
            (folder / f"{name}-{kind}.spec").write_text(written)
            files = {table: folder / f"{name}-{kind}_{table}.txt" for table in tables}
            for table, entries in filled.items():
                files[table].write_text(entries)
            cells.append(cell_of(f"{name}-{kind}", files))
    (folder / "campaign.toml").write_text(SHORT.format(name="widened") + "".join(cells))


def changes(plan: Path, runs: pd.DataFrame) -> pd.DataFrame:
    """Compare each pipeline with itself, widened: measured and by the shipped costs."""
    taken = {name: measured_ns(rows) for name, rows in runs.groupby("program")}
    costs, files = load_model(SHIPPED).mixes, tables_in(plan)
    assert costs is not None, "no costs are shipped"
    rows = []
    for name in {each.removesuffix("-widened") for each in files if "widened" in each}:
        said = []
        for each in (f"{name}-as_it_is", f"{name}-widened"):
            paths = paths_of(plan / f"{each}.spec", files[each])
            said.append(cases_of(each, paths, costs)[0][1].packet_ns)
        before, after = (taken[f"{name}-{kind}.spec"] for kind in ("as_it_is", "widened"))
        change = after / float(np.median(before)) - 1.0
        rows.append({
            "pipeline": name, "before_ns": float(np.median(before)),
            "after_ns": float(np.median(after)), "measured": float(np.median(change)),
            "smallest": float(change.min()), "largest": float(change.max()),
            "said": said[1] / said[0] - 1.0,
        })  # fmt: skip
    return pd.DataFrame(rows).sort_values("measured", ignore_index=True)


@styled()
def draw(found: pd.DataFrame, path: Path) -> None:
    """Draw a row for each pipeline: the change that was measured, and the one that is said."""
    figure, axes = plt.subplots(figsize=(SIZE[0], SIZE[1]), layout="constrained")
    named_rows(axes, [f"{row.pipeline}, {row.before_ns:.0f} ns" for row in found.itertuples()])
    rows = np.arange(len(found))
    measured_percent = 100.0 * found["measured"]
    axes.axvline(0.0, color=GREY, linewidth=0.8, zorder=0)
    axes.errorbar(
        measured_percent, rows, linestyle="", marker=marker(0), color=colour(0), zorder=3,
        xerr=[measured_percent - 100.0 * found["smallest"],
              100.0 * found["largest"] - measured_percent],
    )  # fmt: skip
    axes.plot(100.0 * found["said"], rows, linestyle="", marker=marker(1), color=colour(1),
              markerfacecolor="white", zorder=2)  # fmt: skip
    axes.set_xlabel("Change of a packet's time by fields of 64 bits (%)")
    key = [
        key_entry("measured, median and range of 3 loads", color=colour(0), marker=marker(0),
                  linestyle=""),
        key_entry("said by the shipped costs", color=colour(1), marker=marker(1),
                  markerfacecolor="white", linestyle=""),
    ]  # fmt: skip
    figure.legend(handles=key, loc="outside upper center", ncols=2)
    figure.savefig(path, dpi=180, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Measure, predict, print and draw."""
    plan, runs = measured(__doc__, write_campaign)
    found = changes(plan, runs)
    for row in found.itertuples():
        print(f"{row.pipeline}: {row.before_ns:.1f} to {row.after_ns:.1f} ns, {row.measured:+.0%}; "
              f"said {row.said:+.0%}")  # fmt: skip
    draw(found, plan.parent / "widened.png")


if __name__ == "__main__":
    main()
