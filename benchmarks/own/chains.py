"""Which form the time of a packet has over a chain's length: each length held out in turn.

``sudo python benchmarks/own/chains.py FOLDER`` measures data/campaigns/chains.toml there, once, and
prints what each form is off by on lengths that it has not seen: the median of all, as much for each
function without anything else, a line, a curve (with the square of the length), and the costs of
hops that `linerate fit` has for mixes of operations. Beside them the floor: single runs from the
others of their cell.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from judged import measured

from linerate.models.chains.times import design_of, loaded_chains, solve
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.operations.runs import works_of
from linerate.models.runs.cells import Array
from linerate.models.validation.floor import floor_of_runs

CAMPAIGN = Path(__file__).resolve().parents[2] / "data/campaigns/chains.toml"
KIND = ["chain_function", "chain_topology", "nsh_aware"]
Form = Callable[[pd.DataFrame, pd.DataFrame], Array]
"""Times of held-out runs, ns, by those that are left."""


def _level(seen: pd.DataFrame, held: pd.DataFrame) -> Array:
    return np.full(len(held), float(seen["packet_ns"].median()))


def _sum_of(columns: Callable[[pd.DataFrame], Array]) -> Form:
    """Make a form that is a sum of columns, by least squares of relative errors."""

    def form(seen: pd.DataFrame, held: pd.DataFrame) -> Array:
        times = seen["packet_ns"].to_numpy(dtype=np.float64)
        return np.asarray(columns(held) @ solve(columns(seen), times))

    return form


def _line(chain: pd.DataFrame) -> Array:
    return design_of(chain, sizes=False)


def _curve(chain: pd.DataFrame) -> Array:
    return np.column_stack([_line(chain), chain["chain_length"] ** 2])


def _hops(seen: pd.DataFrame, held: pd.DataFrame) -> Array:
    mixes = fit_mixes(mix_runs(seen))
    return np.array([mixes.model.time_ns(work)[0] for work in works_of(held)])


FORMS: dict[str, Form] = {
    "median of all lengths": _level,
    "b n": _sum_of(lambda chain: _line(chain)[:, 1:]),
    "a + b n": _sum_of(_line),
    "a + b n + c n^2": _sum_of(_curve),
    "costs of hops": _hops,
}


def _held_out(chain: pd.DataFrame) -> pd.DataFrame:
    """Predict each run by the other lengths of its kind and size, by every form."""
    lengths = chain["chain_length"].to_numpy()
    parts = []
    for length in np.unique(lengths):
        held, seen = chain[lengths == length], chain[lengths != length]
        parts.append(held.assign(**{name: form(seen, held) for name, form in FORMS.items()}))
    return pd.concat(parts)


def write_campaign(folder: Path) -> None:
    """Copy the campaign."""
    folder.mkdir(parents=True)
    shutil.copy(CAMPAIGN, folder / "campaign.toml")


def main() -> None:
    """Measure, hold out and print."""
    _, runs = measured(__doc__, write_campaign)
    found = pd.concat(
        _held_out(size)
        for _, chain in loaded_chains(runs)
        for _, size in chain.groupby("frame_bytes")
        if size["chain_length"].nunique() > 3
    )
    groups = [("all", found), *((" ".join(map(str, key)), rows) for key, rows
                                in found.groupby([*KIND, "frame_bytes"]))]  # fmt: skip
    for name, rows in groups:
        print(f"{name}: {len(rows)} runs")
        for form in FORMS:
            error = 100.0 * (rows[form] / rows["packet_ns"] - 1.0)
            off = error.abs()
            print(f"  {form:22} {off.median():5.1f} / {off.mean():5.1f} / {off.quantile(0.9):5.1f}"
                  f" %   bias {error.median():+.1f} %")  # fmt: skip
        cells = rows.groupby([*KIND, "frame_bytes", "chain_length"]).ngroup()
        print(f"  floor                  {floor_of_runs(rows['packet_ns'], cells.to_numpy())}")


if __name__ == "__main__":
    main()
