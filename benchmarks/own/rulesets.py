"""How far off `linerate fits RULES.nft` is: rulesets as people write them, of 1 to 1000 rules.

One campaign measures what rulesets are made of (data/campaigns/rulesets.toml) and the rulesets
themselves, all in turn, since the speed of a shared machine moves: four loads of each. Costs are
fitted on the former alone; each ruleset is priced along the way of the lab's one flow, as the
campaign wrote it down, and held against its runs. Last, each runs on that flow's frame as `linerate
fits` runs it (FOLDER/ran.csv), and is held against the same runs of the campaign
(``FOLDER/ran.png`` shows both), and against loads of the same minute.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from drawn import draw_errors
from judged import measured, print_beside, print_errors, timed_trial
from texts.firewalls import own_rulesets

from linerate.cells import Cell
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.collectors.alone import time_alone
from linerate.measure.collectors.sharing import watch_if_possible
from linerate.measure.datapaths.filters.own.bench import REPLAYED, open_ruleset_bench
from linerate.measure.datapaths.filters.own.inputs import read_inputs
from linerate.measure.datapaths.filters.own.load import frames_of
from linerate.measure.datapaths.filters.own.test_run import time_ruleset
from linerate.measure.rulesets.follow import RECEIVE
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.operations.rulesets import ruleset_work
from linerate.models.pipelines.case import Prices, cases_of
from linerate.models.pipelines.ran import held_against
from linerate.programs.pipeline_paths import PipelinePath
from linerate.progress import telling
from linerate.tables.rates import with_own_cores

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / "data/campaigns/rulesets.toml"
CELLS = """
[[cells]]
mode = "serial"
datapath = ["{datapath}"]
program = [{programs}]
queues = [1]
link_gbps = inf
offered_mpps = ["flood"]
{more}
"""
MADE = ((REPLAYED, 1),)
KNOWN = "ruleset = { established = [true] }"
SIZE = "frame_bytes = [64]"
TRANSLATING = ("home", "served", "docker", "published")
"""Whose packets are made anew each time, as they are translated."""
FRAMES = 'traffic = ["rulesets/one_flow.json"]'
TCP = 'packet = { protocol = "tcp", tcp_flags = "S" }'


def _settings(name: str) -> tuple[str, ...]:
    """Say what else the cells of a ruleset say."""
    known, kind, *_ = name.split("_")
    if kind in TRANSLATING:
        return (f"ruleset = {{ established = [{str(known == 'known').lower()}], {FRAMES} }}",)
    if name.startswith("tcp_"):
        return TCP, "frame_bytes = [90]"
    return (KNOWN, SIZE) if known == "known" else (SIZE,)


def write_campaign(folder: Path) -> None:
    """Write the rulesets, and the campaign that measures them between those of one kind."""
    folder.mkdir(parents=True)
    shutil.copytree(COSTS.with_suffix(""), folder / "rulesets")
    cells = write_rulesets(folder, own_rulesets())
    text = COSTS.read_text().replace("repetitions = 3", "repetitions = 4")
    (folder / "campaign.toml").write_text(text + "".join(cells))


def write_rulesets(folder: Path, names: Mapping[str, str]) -> list[str]:
    """Write texts by file name, and return the blocks of cells that measure them."""
    for name, text in names.items():
        (folder / name).write_text(text)
    cells = []
    for datapath, suffix in (("nftables", ".nft"), ("iptables", ".rules")):
        for settings in sorted({_settings(name) for name in names}):
            own = [f'"{name}"' for name in names
                   if name.endswith(suffix) and _settings(name) == settings]  # fmt: skip
            cells.append(CELLS.format(datapath=datapath, programs=", ".join(own),
                                      more="\n".join(settings)))  # fmt: skip
    return cells


def predicted(
    run: pd.Series, mixes: Prices, ran_ns: Sequence[float] = ()
) -> tuple[float, float, float, int]:
    """Time of a packet of a run, ns, the ends of its interval, and rules walked.

    Without what making a frame of a file takes the generator longer.
    """
    operations = json.loads(run["operations"])
    operations.pop(REPLAYED, None)
    one = PipelinePath(operations=tuple(sorted(operations.items())), share=1.0, choices=(),
                       sends=True)  # fmt: skip
    cases, _ = cases_of(run["program"], [one], mixes, run["datapath"])
    case = (held_against(cases, ran_ns) if len(ran_ns) else cases)[1]
    return case.packet_ns, case.lower_ns, case.upper_ns, operations.get("rule", 0)


def _made_ns(run: pd.Series, mixes: Prices) -> float:
    """Say what the generator takes longer for a frame of a file, as priced with the rules."""
    if REPLAYED not in json.loads(run["operations"]):
        return 0.0
    works = [ruleset_work(run["datapath"], ((RECEIVE, 1), *more)) for more in ((), MADE)]
    without, made = (mixes.time_of(work)[0] for work in works)
    return made - without


def compare(runs: pd.DataFrame, mixes: Prices, ran: pd.DataFrame | None = None) -> pd.DataFrame:
    """Predict each ruleset, by its test runs where there are some, and put its runs beside.

    Disturbed ones count only if all are.
    """
    rows = []
    for name in dict.fromkeys(runs["program"][~runs["program"].str.startswith("rulesets/")]):
        own = runs[runs["program"] == name]
        sound = own[own["verdict"] == "valid"]
        own = own if sound.empty else sound
        times = 1e3 / with_own_cores(own)["forwarded_mpps"].to_numpy(dtype=np.float64)
        times = times - _made_ns(own.iloc[0], mixes)
        ran_ns = [] if ran is None else ran.loc[ran["ruleset"] == name, "packet_ns"].to_list()
        packet_ns, lower_ns, upper_ns, walked = predicted(own.iloc[0], mixes, ran_ns)
        rows.append({
            "ruleset": name, "walked": walked, "predicted_ns": packet_ns, "lower_ns": lower_ns,
            "upper_ns": upper_ns, "measured_ns": float(np.median(times)),
            "fastest_ns": float(times.min()), "slowest_ns": float(times.max()),
            "loads_inside": float(np.mean((lower_ns <= times) & (times <= upper_ns))),
            "valid": len(sound),
            "error_percent": 100.0 * (packet_ns / float(np.median(times)) - 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def test_runs(plan: Path, path: Path) -> pd.DataFrame:
    """Run each ruleset of a campaign on the lab's flow, a row a load, and as the campaign does."""
    if not path.exists():
        cells = [cell for cell in read_campaign(plan / "campaign.toml").campaign.cells()
                 if not cell.program.startswith("rulesets/")]  # fmt: skip
        with telling(shown=True) as tell:
            rows = []
            for place, cell in enumerate(cells):
                tell("test runs", place, len(cells))
                rows += _both(cell, plan)
            tell("test runs", len(cells), len(cells))
        pd.DataFrame(rows).to_csv(path, index=False)
    return pd.read_csv(path)


def _both(cell: Cell, plan: Path) -> Iterator[dict[str, object]]:
    inputs = read_inputs(cell, plan)
    frames = inputs.frames or frames_of(cell.load)
    with watch_if_possible((0,)) as watch:
        run = time_ruleset(inputs.tested, frames, lambda *_: None)
        made_ns = run.made_ns if inputs.frames else 0.0
        for ns in run.ran_ns:
            with open_ruleset_bench(cell, plan) as bench:
                send = partial(timed_trial, bench, cell)
                yield {"ruleset": cell.program, "packet_ns": ns,
                       "generated_ns": time_alone(watch, send, 0.0) - made_ns}  # fmt: skip


def _kind(name: str) -> str:
    if "limited" in name:
        return "sources, connections and bytes limited, choices drawn"
    if any(word in name for word in (*TRANSLATING, "guarded")):
        return "translated, marked, looked up in routes"
    new = any(word in name for word in ("router", "known", "refusing", "logging"))
    return "forwarded, known, refused, logged" if new else "plain"


def main() -> None:
    """Measure, fit, predict and print."""
    plan, runs = measured(__doc__, write_campaign)
    costs = fit_mixes(mix_runs(runs[runs["program"].str.startswith("rulesets/")]))
    ran = test_runs(plan, plan.parent / "ran.csv")
    answers = {}
    for how, times in (("priced by costs of that hour", None), ("run on its frames", ran)):
        print(f"{how}:")
        answers[how] = found = compare(runs, costs, times)
        kinds = found["ruleset"].map(_kind)
        print_errors(found, "rulesets", found["ruleset"].str.rpartition(".")[2] + ", " + kinds)
    print_beside(ran.groupby("ruleset"))
    draw_errors(answers, plan.parent / "ran.png")


if __name__ == "__main__":
    main()
