"""How far off shipped costs are on this machine: as they are, and carried over to it.

``python benchmarks/own/here.py BOX.toml --rulesets FOLDER --pipelines FOLDER``: BOX is what
``sudo linerate calibrate --for nftables --for iptables --for swx --out BOX.toml`` wrote, the
folders are those of `benchmarks/own/rulesets.py` and `pipelines.py`, measured on the same machine.
Of their runs only those of rulesets and pipelines as people write them are used; none of these is
among what was timed for the box. Rulesets without a valid run are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pipelines
import rulesets
from judged import print_errors

from linerate.box import Box, read_box
from linerate.face.fits.carrying import carry
from linerate.face.fits.pipelines import SHIPPED as PIPELINES
from linerate.face.fits.rulesets import SHIPPED as RULESETS
from linerate.models.file.saved import load_model
from linerate.models.operations import MixPredictor
from linerate.tables.runs import read_runs

SUFFIXES = {"nftables": ".nft", "iptables": ".rules"}


def main() -> None:
    """Predict by shipped costs before and after they are carried, and print errors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("box", type=Path)
    parser.add_argument("--rulesets", type=Path)
    parser.add_argument("--pipelines", type=Path)
    asked = parser.parse_args()
    box = read_box(asked.box)
    if asked.rulesets:
        _print(pd.concat(_rulesets(asked.rulesets, box), ignore_index=True), "rulesets")
    if asked.pipelines:
        _print(pd.concat(_pipelines(asked.pipelines, box), ignore_index=True), "pipelines")


def _print(found: pd.DataFrame, what: str) -> None:
    print_errors(found, what, found["costs"])
    for costs, rows in found.groupby("costs"):
        half = (rows["upper_ns"] / rows["lower_ns"]) ** 0.5 - 1
        print(f"{costs}: bias {rows['error_percent'].median():+.1f} %, half-width of the interval "
              f"{100 * half.mean():.0f} %")  # fmt: skip


def _rulesets(folder: Path, box: Box) -> Iterator[pd.DataFrame]:
    runs, shipped = read_runs([folder / "out"]), _shipped(RULESETS)
    for datapath, suffix in SUFFIXES.items():
        for costs, mixes in (("shipped", shipped), ("carried", carry(shipped, datapath, box))):
            found = rulesets.compare(runs, mixes)
            found = found[found["ruleset"].str.endswith(suffix) & (found["valid"] > 0)]
            yield found.assign(costs=f"{datapath} {costs}")


def _pipelines(folder: Path, box: Box) -> Iterator[pd.DataFrame]:
    runs, shipped = read_runs([folder / "out"]), _shipped(PIPELINES)
    files = pipelines.tables_in(folder / "plan")
    for costs, mixes in (("shipped", shipped), ("carried", carry(shipped, "swx", box))):
        yield pipelines.compare(runs, folder / "plan", files, mixes).assign(costs=costs)


def _shipped(path: Path) -> MixPredictor:
    mixes = load_model(path).mixes
    assert mixes is not None
    return mixes


if __name__ == "__main__":
    main()
