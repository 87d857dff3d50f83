"""Which form the time of a packet has over a chain's length, and how far off `linerate fits` is.

``sudo python benchmarks/own/chains.py FOLDER`` measures data/campaigns/chains.toml there, once, and
prints what each form is off by on lengths that it has not seen: the median of all, as much for each
function without anything else, a line, a curve (with the square of the length), the costs of hops
that `linerate fit` has for mixes of operations, and the line with what a flood loses half way, as
shipped. Beside them the floor: single runs from the others of their cell.

Then each chain of the campaign runs as `linerate fits` runs it (FOLDER/ran.csv), once, and some of
which a campaign has none, one of whose functions alone does something or all of which take long:
runs are held against the campaign, and its times of functions that do nothing, with what these do
added up and as shipped, against what those took that do something.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from drawn import draw_errors
from judged import measured, print_errors

from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.chain.test_run import time_chain
from linerate.models.chains.ran import ran_time
from linerate.models.chains.times import (
    design_of,
    fit_chain_times,
    foretold_ns,
    loaded_chains,
    solve,
)
from linerate.models.latency.round_trips import kind_of, own_work_ns
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.operations.runs import works_of
from linerate.models.runs.cells import Array
from linerate.models.validation.floor import floor_of_runs
from linerate.normal import NORMAL_90
from linerate.progress import telling

CAMPAIGN = Path(__file__).resolve().parents[2] / "data/campaigns/chains.toml"
KIND = ["chain_function", "chain_topology", "nsh_aware"]
CHAIN = [*KIND, "works", "frame_bytes"]
WORDS = {"tc": "tc", "raw_socket": "raw sockets", "af_xdp": "AF_XDP"}
UNEVEN = ((4000, 0), (0, 4000), (4000, 0, 0, 0), (0, 0, 0, 4000))
"""What functions do themselves, ns, in the order of a packet."""
LONG = ((100_000,), (10_000,) * 4, (20_000,) * 4, (50_000,) * 4, (4000,) * 8, (20_000,) * 8)
"""The same of functions in tc."""
BY_HUB = (
    (10_000,),
    (3000, 3000),
    (10_000, 10_000),
    (8000, 0, 0, 0),
    (0, 0, 0, 8000),
    (10_000,) * 4,
)
"""The same of functions that a hub sends to."""
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


def _in_rounds(seen: pd.DataFrame, held: pd.DataFrame) -> Array:
    (kind,) = {kind_of({str(k): v for k, v in row.items()}) for row in seen.to_dict("records")}
    return foretold_ns(kind, seen, held)


FORMS: dict[str, Form] = {
    "median of all lengths": _level,
    "b n": _sum_of(lambda chain: _line(chain)[:, 1:]),
    "a + b n": _sum_of(_line),
    "a + b n + c n^2": _sum_of(_curve),
    "costs of hops": _hops,
    "a + b n, in rounds": _in_rounds,
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


def _run_all(runs: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Run every chain that was flooded, and some more, once."""
    if not path.exists():
        loaded = pd.concat([chain for worked in (False, True)
                            for _, chain in loaded_chains(runs, worked=worked)])  # fmt: skip
        sizes_of = (
            loaded.assign(chain_work_ns=own_work_ns(loaded))
            .groupby([*KIND, "chain_work_ns", "chain_length"])["frame_bytes"]
            .unique()
        )
        asked = [
            (function, topology, bool(aware), (int(work),) * int(length), sorted(sizes))
            for (function, topology, aware, work, length), sizes
            in zip(sizes_of.index.tolist(), sizes_of, strict=True)
        ]  # fmt: skip
        asked += [(function, "direct", False, works, [64.0])
                  for function in WORDS for works in UNEVEN]  # fmt: skip
        asked += [("tc", "direct", False, works, [64.0]) for works in LONG]
        asked += [(function, "hub", False, works, [64.0])
                  for function in ("tc", "raw_socket") for works in BY_HUB]  # fmt: skip
        random.Random(7665).shuffle(asked)
        with telling(shown=True) as tell:
            rows = []
            for number, (function, topology, aware, works, sizes) in enumerate(asked):
                tell("chains", number, len(asked))
                chain = ChainSettings(length=len(works), function=function, topology=topology,
                                      nsh_aware=aware)  # fmt: skip
                ran = time_chain(chain, works, [int(size) for size in sizes], lambda *_: None)
                rows += [{
                    "chain_function": function, "chain_topology": topology, "nsh_aware": aware,
                    "works": "+".join(map(str, works)), "frame_bytes": size, "packet_ns": ran_ns,
                    "rtt_us": median(ran.rtts_us), "led_log_sd": took.log_sd,
                } for size, took in ran.took.items() for ran_ns in took.packet_ns]  # fmt: skip
        pd.DataFrame(rows).to_csv(path, index=False)
    return pd.read_csv(path)


def _runs_beside(runs: pd.DataFrame, ran: pd.DataFrame) -> None:
    """Print how far off test runs are of the campaign."""
    loaded = pd.concat([chain for worked in (False, True)
                        for _, chain in loaded_chains(runs, worked=worked)])  # fmt: skip
    names = [
        "+".join([str(int(own_ns))] * int(length))
        for own_ns, length in zip(own_work_ns(loaded), loaded["chain_length"], strict=True)
    ]
    measured_ns = loaded.assign(works=names).groupby(CHAIN)["packet_ns"]
    rows = []
    for chain, took in ran.groupby(CHAIN):
        if chain not in measured_ns.groups:
            continue
        took_ns, log_sd = ran_time(list(took["packet_ns"]), float(took["led_log_sd"].iloc[0]))
        own, wide = measured_ns.get_group(chain), float(np.exp(NORMAL_90 * log_sd))
        rows.append({
            "chain": "/".join(map(str, chain)), "measured_ns": own.median(), "ran_ns": took_ns,
            "lower_ns": took_ns / wide, "upper_ns": took_ns * wide,
            "error_percent": 100.0 * (took_ns / own.median() - 1.0),
            "loads_inside": own.between(took_ns / wide, took_ns * wide).mean(),
        })  # fmt: skip
    found = pd.DataFrame(rows)
    print_errors(found, "chains as `linerate fits` runs them", pd.Series("ran", index=found.index))


def _in_words(works_ns: Sequence[int]) -> str:
    """Write what functions do, us: how often the same, or all in their order."""
    each_us = [f"{own_ns / 1e3:g}" for own_ns in works_ns]
    if len(each_us) > 1 and len(set(each_us)) == 1:
        return f"{len(each_us)} x {each_us[0]} us"
    return f"{' + '.join(each_us)} us"


def _works_beside(runs: pd.DataFrame, ran: pd.DataFrame, path: Path) -> None:
    """Print, and draw, how far off prices of functions with work are, by those without."""
    times = fit_chain_times(runs)
    known = {time.kind: time for time in times.times} if times else {}
    rows = []
    for (*named, works, frame_bytes), took in ran.groupby(CHAIN)["packet_ns"]:
        size = float(str(frame_bytes))
        works_ns = [int(word) for word in str(works).split("+")]
        kind = kind_of(dict(zip(KIND, named, strict=True)))
        if not any(works_ns) or kind not in known:
            continue
        hub = ", hub" if kind.topology == "hub" else ""
        idle_ns = float(known[kind].packet_ns(len(works_ns), size))
        rows.append({
            "chain": f"{WORDS[kind.function]}{hub}: {_in_words(works_ns)}",
            "kind": kind.function + hub, "measured_ns": took.median(),
            "sum": idle_ns + sum(works_ns), "shipped": known[kind].flooded_ns(size, works_ns),
        })  # fmt: skip
    found = pd.DataFrame(rows)
    forms = ["sum", "shipped"]
    off = 100.0 * (found[forms].div(found["measured_ns"], axis=0) - 1.0)
    print(found[["chain", "measured_ns"]].join(off).round(1).to_string(index=False))
    for name, own in [("all", off), *off.groupby(found["kind"])]:
        far = own.abs()
        print(f"{name}: {len(own)} chains with work, median / mean / largest %: " + "; ".join(
            f"{form} {far[form].median():.1f} / {far[form].mean():.1f} / {far[form].max():.1f}"
            for form in forms
        ))  # fmt: skip
    draw_errors({words: found[["chain", "measured_ns"]].assign(predicted_ns=found[form])
                 for words, form in (("work added up", "sum"), ("as answered", "shipped"))},
                path)  # fmt: skip


def main() -> None:
    """Measure, hold out and print."""
    plan, runs = measured(__doc__, write_campaign)
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
    ran = _run_all(runs, plan.parent / "ran.csv")
    _runs_beside(runs, ran)
    _works_beside(runs, ran, plan.parent / "works.png")


if __name__ == "__main__":
    main()
