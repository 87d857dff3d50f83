"""How far off `linerate fits MINE.spec` is: pipelines as p4c writes them and DPDK's own examples.

One campaign measures what pipelines are made of (data/campaigns/pipelines.toml) and the pipelines
themselves, all in turn, since the speed of a shared machine moves. Costs are fitted on the former
alone; each pipeline is priced along the way of the lab's one flow, and held against its runs. Last,
each runs on that flow's frame as `linerate fits` runs it (FOLDER/ran.csv), and is held against the
same runs of the campaign (``FOLDER/ran.png`` shows both), and against loads of the same minute.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from drawn import draw_errors
from judged import measured, print_beside, print_errors
from later_specs import later_specs
from specs import own_specs

from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.file import read_spec
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.paths import shared_paths
from linerate.measure.datapaths.swx.spec.generated.flow_frame import flow_frame
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.test_run import time_load, time_pipeline
from linerate.measure.objects.traffic.frames import frames_by_weight
from linerate.measure.processes import built
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.pipelines.case import Prices, cases_of
from linerate.models.pipelines.ran import held_against
from linerate.programs.pipeline_paths import PipelinePath
from linerate.progress import telling

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / "data/campaigns/pipelines.toml"
EXAMPLES = ("fib", "hash_func", "learner", "meter", "recirculation", "registers", "selector",
            "varbit", "vxlan")  # fmt: skip
"""Of DPDK's examples those that do not send everything to another port, without entries: most of
their tables miss."""
SHORT = """\
name = "{name}"
lab = "dpdk"
repetitions = 3
trial_seconds = 0.1
warm_up_seconds = 0.05
canary_every = 50
retries = 4
seed = 7
probes = ["sharing"]
"""
"""Head of a campaign of pipelines that differ in one thing."""
CELLS = """
[[cells]]
mode = "serial"
datapath = ["swx"]
program = ["{program}"]
pipeline = {{ port = ["net_null"]{tables} }}
queues = [1]
frame_bytes = [64]
link_gbps = inf
offered_mpps = ["flood"]
"""


def write_campaign(folder: Path) -> dict[str, dict[str, Path]]:
    """Write pipelines, entries and the campaign; return the tables' files by pipeline."""
    folder.mkdir(parents=True)
    found: dict[str, dict[str, Path]] = {}
    for name, (text, tables) in (own_specs() | later_specs()).items():
        (folder / f"{name}.spec").write_text(text)
        files = {table: folder / f"{name}_{table}.txt" for table in tables}
        for table, entries in tables.items():
            files[table].write_text(entries)
        found[name] = files
    examples = built.build_folder() / "dpdk/examples/pipeline/examples"
    for name in EXAMPLES:
        shutil.copy(examples / f"{name}.spec", folder / f"dpdk_{name}.spec")
        found[f"dpdk_{name}"] = {}
    cells = [cell_of(name, files) for name, files in found.items()]
    head = re.sub(r"repetitions = \d+", "repetitions = 3", COSTS.read_text())
    (folder / "campaign.toml").write_text(head + "".join(cells))
    return found


def cell_of(name: str, files: Mapping[str, Path]) -> str:
    """Write the cell of a pipeline that was written to ``name.spec``, with the files of tables."""
    pairs = ", ".join(f'{table} = "{file.name}"' for table, file in files.items())
    tables = f", tables = {{ {pairs} }}" if pairs else ""
    return CELLS.format(program=f"{name}.spec", tables=tables)


def paths_of(spec_file: Path, files: dict[str, Path]) -> list[PipelinePath]:
    """Follow the lab's flow through a pipeline."""
    spec = read_spec(spec_file)
    entries = {name: filled(spec, name, read_entries(spec, name, file))
               for name, file in files.items() if name in spec.tables}  # fmt: skip
    followed = shared_paths(spec, np.random.default_rng(1), entries, flow_frame())
    return [PipelinePath(operations=path.operations, share=path.share, choices=path.choices,
                         sends=path.sends) for path in followed]  # fmt: skip


def measured_ns(runs: pd.DataFrame) -> np.ndarray:
    """Time of a packet in each run, wherever it was sent; disturbed runs only if all are.

    Where the rate with the cores to itself is known, of that, as the costs are.
    """
    sound = runs[runs["verdict"] != "suspect"] if (runs["verdict"] != "suspect").any() else runs
    share = (sound["forwarded_mpps"] / sound["unshared_mpps"]).fillna(1.0)
    return (1e9 * share * sound["duration_s"] / sound["sent_packets"]).to_numpy(dtype=np.float64)


def compare(
    runs: pd.DataFrame, folder: Path, files: dict[str, dict[str, Path]], mixes: Prices,
    ran: pd.DataFrame | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Predict each pipeline, by its test runs where there are some, and put its runs beside."""
    rows = []
    for name, tables in files.items():
        cases, note = cases_of(name, paths_of(folder / f"{name}.spec", tables), mixes)
        if ran is not None:
            cases = held_against(cases, ran.loc[ran["pipeline"] == name, "packet_ns"].to_list())
        case = cases[1]
        times = measured_ns(runs[runs["program"] == f"{name}.spec"])
        rows.append({
            "pipeline": name, "predicted_ns": case.packet_ns, "lower_ns": case.lower_ns,
            "upper_ns": case.upper_ns, "measured_ns": float(np.median(times)),
            "fastest_ns": float(times.min()), "slowest_ns": float(times.max()),
            "error_percent": 100.0 * (case.packet_ns / float(np.median(times)) - 1.0),
            "unpriced": note.partition("measured of ")[2].partition(":")[0],
        })  # fmt: skip
    return pd.DataFrame(rows)


def test_runs(plan: Path, path: Path) -> pd.DataFrame:
    """Run each pipeline of a campaign on the lab's flow, a row a load, and as the campaign does."""
    if not path.exists():
        frames, rows = frames_by_weight([(flow_frame(), 1)]), []
        with telling(shown=True) as tell:
            for name, files in tables_in(plan).items():
                spec = read_spec(plan / f"{name}.spec")
                filled = {table: read_entries(spec, table, file) for table, file in files.items()}
                program = PipelineText(spec=print_spec(spec), tables=tuple(filled.items()))
                rows += [{"pipeline": name, "packet_ns": ns, "generated_ns": time_load(program)}
                         for ns in time_pipeline(program, frames, tell)]  # fmt: skip
        pd.DataFrame(rows).to_csv(path, index=False)
    return pd.read_csv(path)


def tables_in(plan: Path) -> dict[str, dict[str, Path]]:
    """Files of the tables of each pipeline of a campaign that was written."""
    return {name: {file.stem.removeprefix(f"{name}_"): file
                   for file in sorted(plan.glob(f"{name}_*.txt"))}
            for name in (path.stem for path in sorted(plan.glob("*.spec")))}  # fmt: skip


def main() -> None:
    """Measure, fit, predict and print."""
    plan, runs = measured(__doc__, write_campaign)
    costs = fit_mixes(mix_runs(runs[~runs["program"].str.endswith(".spec")]))
    ran = test_runs(plan, plan.parent / "ran.csv")
    answers = {}
    for how, times in (("priced by costs of that hour", None), ("run on its frames", ran)):
        print(f"{how}:")
        answers[how] = found = compare(runs, plan, tables_in(plan), costs, times)
        print_errors(found, "pipelines", found["pipeline"].map(_group))
    print_beside(ran.groupby("pipeline"))
    draw_errors(answers, plan.parent / "ran.png")


def _group(name: str) -> str:
    """Group in which a pipeline is judged: the form of the model was chosen by the first two."""
    if name.startswith("dpdk_"):
        return "DPDK's examples"
    return "own, held out" if name in later_specs() else "own, the first ten"


if __name__ == "__main__":
    main()
