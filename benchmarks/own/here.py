"""How far off shipped costs are on this machine: as they are, and carried over to it.

``python benchmarks/own/here.py BOX.toml --rulesets FOLDER --pipelines FOLDER --chains FOLDER``,
with ``--figure FILE`` a picture of all of them:
BOX is what ``sudo linerate calibrate --for nftables --for iptables --for swx --out BOX.toml`` wrote
(for chains ``--for chain-tc --for chain-raw-socket --for chain-af-xdp``), the folders are those of
`benchmarks/own/rulesets.py`, `pipelines.py` and `chains.py`, measured on the same machine. Of runs
of rulesets and pipelines only those of such as people write are used; none of these is among what
was timed for the box, and of the chains 12 are. Rulesets without a valid run are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pipelines
import rulesets
from drawn import draw
from judged import print_errors

from linerate.box import Box, read_box
from linerate.face.fits.carrying import Where, carry
from linerate.face.fits.chains.question import fits_chain
from linerate.face.fits.pipelines import SHIPPED as PIPELINES
from linerate.face.fits.rulesets import SHIPPED as RULESETS
from linerate.models.chains.times import loaded_chains
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
    parser.add_argument("--chains", type=Path)
    parser.add_argument("--figure", type=Path, help="PNG or PDF of all of them")
    asked = parser.parse_args()
    box, panels = read_box(asked.box), {}
    if asked.rulesets:
        panels["Rulesets"] = pd.concat(_rulesets(asked.rulesets, box), ignore_index=True)
    if asked.pipelines:
        panels["Pipelines"] = pd.concat(_pipelines(asked.pipelines, box), ignore_index=True)
    if asked.chains:
        panels["Chains"] = pd.DataFrame(_chains(asked.chains, asked.box))
    for name, found in panels.items():
        _print(found, name.lower())
    if asked.figure:
        draw(panels, asked.figure)


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


def _chains(folder: Path, box: Path) -> Iterator[dict[str, object]]:
    """Ask about each chain that was measured, in files of the form that a user writes."""
    runs = read_runs([folder / "out"])
    with TemporaryDirectory() as written:
        path = Path(written, "own.chain.toml")
        for kind, chains in loaded_chains(runs):
            for _, own in chains.groupby(["chain_length", "frame_bytes"]):
                length, size = (int(own[name].iloc[0]) for name in ("chain_length", "frame_bytes"))
                aware = str(kind.nsh_aware).lower()
                path.write_text(
                    f'function = "{kind.function}"\ntopology = "{kind.topology}"\n'
                    f"nsh_aware = {aware}\n" + '[[functions]]\nname = "f"\n' * length
                )
                times = own["packet_ns"]
                for costs, where in (("shipped", Where(static=True)), ("carried", Where(box=box))):
                    (found,) = fits_chain(path, frame_bytes=size, where=where).answers
                    lower_ns, upper_ns = 1e3 / found.upper_mpps, 1e3 / found.lower_mpps
                    yield {
                        "chain": f"{kind} {length} {size}", "predicted_ns": found.packet_ns,
                        "lower_ns": lower_ns, "upper_ns": upper_ns,
                        "measured_ns": times.median(),
                        "loads_inside": times.between(lower_ns, upper_ns).mean(),
                        "error_percent": 100.0 * (found.packet_ns / times.median() - 1.0),
                        "costs": costs,
                    }  # fmt: skip


def _shipped(path: Path) -> MixPredictor:
    mixes = load_model(path).mixes
    assert mixes is not None
    return mixes


if __name__ == "__main__":
    main()
