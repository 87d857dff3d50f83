"""Page and picture of what benchmarks/objects.py found: ``python benchmarks/gallery.py FOUND.csv``.

Writes docs/gallery.png and prints the table of docs/gallery.md: of each example, what it does, and
its predicted and measured time of a packet.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from linerate.reports.drawing.colours import PATHS
from linerate.reports.drawing.style import marker, styled

ROOT = Path(__file__).resolve().parents[1]
HOOKS = {"xdp_native": "XDP native", "xdp_generic": "XDP generic"}
TICKS_NS = (50, 70, 100, 150, 200, 300, 400, 600, 900)
WITHIN = 0.1
"""Drawn as a band about equality."""


def source_of(name: object) -> Path:
    """Find an example in its folder."""
    (found,) = (ROOT / "bpf/examples").glob(f"*/{name}.bpf.c")
    return found


def purpose(name: object) -> str:
    """Give the sentence that an example begins with."""
    text = source_of(name).read_text()
    said = text[text.index("/*") + 2 : text.index("*/")]
    return " ".join(word for word in said.split() if word != "*")


def lines(found: pd.DataFrame) -> list[str]:
    """Rows of the table: a program and its traffic, both hooks beside each other."""
    rows = ["| program | what it does | traffic | native: predicted, measured, ns "
            "| generic: predicted, measured, ns |", "|---|---|---|---|---|"]  # fmt: skip
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
        rows.append(f"| {source} | {what} | {traffic} | {times[0]} | {times[1]} |")
    return rows


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


def main() -> int:
    """Print the table, and the errors in a sentence."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("found", type=Path, help="what benchmarks/objects.py printed")
    found = pd.read_csv(parser.parse_args().found)
    draw(found, ROOT / "docs/gallery.png")
    print("\n".join(lines(found)))
    for hook, name in HOOKS.items():
        off = 100 * found[found.datapath == hook].error.abs()
        hand = 100 * found[found.datapath == hook].by_hand.abs()
        held = found[found.datapath == hook].inside.str.split("/", expand=True).astype(int).sum()
        print(f"{name}: median {off.median():.1f} %, P90 {off.quantile(0.9):.1f} %, mean "
              f"{off.mean():.1f} % (by hand {hand.median():.1f}, {hand.quantile(0.9):.1f}, "
              f"{hand.mean():.1f}); {held[0]} of {held[1]} measurements inside")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
