"""How far predictions of own programs are off: ``sudo python -m benchmarks.objects [--rounds N]``.

Calibrates this machine where it was not today, then predicts each program of bpf/examples by test
runs and measures it in the veth lab, in turn, native and generic, at 64 and 1500 B where the
traffic is generated; then all of them again. The base is tried before each test run and after it,
as `linerate fits` does. The hand predictor beside it is the base cost of one verdict, as
calibrated, plus test run less empty program, with linerate's test runs, which put each frame back,
and with the kernel's own repeats, which do not; the floor is what a perfect prediction would be off
medians of so few loads. Verdicts are of links of 10, 25 and 40 Gbit/s. ``--queues 2`` predicts and
measures as many at once, ``--only`` takes a few programs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.kernel_repeat import empty_repeated_ns, repeated_ns

from linerate.box import Box
from linerate.errors import LinerateError
from linerate.measure.objects.calibrating.own_box import own_box
from linerate.measure.objects.calibrating.recheck import RecheckedBox, look_at, rechecked_box
from linerate.measure.objects.calibrating.rounds import unstalled_ns
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.behind import behind_pass
from linerate.measure.objects.maps.settings import Settings, read_settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.models.validation.floor import floor_of_medians
from linerate.models.validation.spread import spread
from linerate.programs.times import ProgramTimes
from linerate.progress import telling

EXAMPLES = Path(__file__).resolve().parents[1] / "bpf/examples"
ENTRIES = {"stages": "parse"}
DATAPATHS = ("xdp_native", "xdp_generic")
SIZES = (64, 1500)
LINKS_GBPS = (10.0, 25.0, 40.0)
TIMING = Timing(warm_up_seconds=0.05, seconds=0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One program on one traffic."""

    name: str
    path: Path
    entry: str
    settings: Settings
    frames: Frames
    traffic: str
    datapaths: tuple[str, ...] = DATAPATHS


def cases() -> Iterator[Case]:
    """List every example with its maps and traffic."""
    for source in sorted(EXAMPLES.glob("*/*.bpf.c")):
        if source.parent.name == "first":
            continue
        name = source.name.removesuffix(".bpf.c")
        path = built.program_object(name)
        listing = list_object(path)
        maps, list_of_frames = source.with_name(f"{name}.toml"), source.with_name(f"{name}.json")
        settings = read_settings(listing, maps if maps.is_file() else None)
        loads = (
            [("own", read_frames(list_of_frames))] if list_of_frames.is_file()
            else [(f"{size} B", of_size(size)) for size in SIZES]
        )  # fmt: skip
        for traffic, frames in loads:
            yield Case(
                name=name, path=path, settings=settings, frames=frames, traffic=traffic,
                entry=choose_entry(listing, "xdp_native", ENTRIES.get(name)),
            )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What one load took in the lab."""

    packet_ns: float
    """Time of a packet on one of the cores."""
    repeated_ns: float
    """The program's own by the kernel's repeats, beyond the empty program's."""


def taken_by(case: Case, datapath: str, queues: int) -> Taken:
    """Load a program anew in the lab, send it its frames, then have the kernel repeat them."""
    with open_object_lab("serial", queues, datapath, case.settings.environment) as lab:
        empty_ns = empty_repeated_ns(lab, datapath)
        with (
            plan_file(case.settings, case.frames) as plan,
            attach_object(lab, datapath, case.path, case.entry, plan) as program,
        ):
            return Taken(
                packet_ns=unstalled_ns(
                    partial(send_frames, program, plan, TIMING), lab.generator_cores
                ),
                repeated_ns=repeated_ns(lab, case.frames) - empty_ns,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One test run of a program and its lab runs, within seconds of each other."""

    case: Case
    times: ProgramTimes
    boxes: Mapping[str, RecheckedBox]
    """The calibrated box as of then, by datapath."""
    taken: Mapping[str, Taken]
    """By datapath."""


def rounds_of(asked: argparse.Namespace, chosen: Sequence[Case], box: Box) -> Iterator[Round]:
    """Test and measure each program in turn, then all of them again."""
    with telling(shown=False) as silent:
        for _ in range(asked.rounds):
            for case in chosen:
                tested = UnderTest(path=case.path, entry=case.entry, settings=case.settings,
                                   cores=asked.queues, datapath=case.datapaths[0])  # fmt: skip
                before = {name: look_at(name, silent) for name in case.datapaths}
                times = time_program(tested, case.frames, silent)
                boxes, taken = {}, {}
                for name in case.datapaths:
                    boxes[name] = rechecked_box(box, name, (before[name], look_at(name, silent)))
                    taken[name] = taken_by(case, name, asked.queues)
                yield Round(case=case, times=times, boxes=boxes, taken=taken)


def judged(box: Box, queues: int, one: Round, datapath: str) -> dict[str, object]:
    """Give a row: what was predicted and measured, and verdicts at each link."""
    now = one.boxes[datapath]
    question = ObjectQuestion(
        datapath=datapath, link_gbps=np.inf, queues=queues, now_deviation=now.deviation,
        behind=behind_pass(one.case.settings.environment, one.case.frames),
    )  # fmt: skip
    answer = answer_object(one.times, now.box, question)
    by_hand = answer_object(one.times, box, question)
    taken = one.taken[datapath].packet_ns / queues
    lines = [8 * one.case.frames.mean_wire_bytes / gbps for gbps in LINKS_GBPS]
    packet_ns = (answer.base_ns + answer.program_ns) / queues
    return {
        "program": one.case.name, "traffic": one.case.traffic, "datapath": datapath,
        "predicted_ns": queues * packet_ns, "measured_ns": queues * taken,
        "by_hand_ns": by_hand.base_ns + float(np.median(one.times.program_ns)),
        "by_repeat_ns": by_hand.base_ns + one.taken[datapath].repeated_ns,
        "lower_ns": 1e3 * queues / answer.upper_mpps, "upper_ns": 1e3 * queues / answer.lower_mpps,
        "inside": 1e3 / answer.upper_mpps <= taken <= 1e3 / answer.lower_mpps,
        "right": np.mean([(packet_ns <= line) == (taken <= line) for line in lines]),
    }  # fmt: skip


def measure_rows(
    asked: argparse.Namespace, given: Iterable[Case] | None = None
) -> tuple[Box, pd.DataFrame]:
    """Predict and measure on the own box; a row for each round of a program, traffic and hook.

    Parameters
    ----------
    asked
        As ``arguments`` reads it.
    given
        Programs; those of bpf/examples if left out.

    Raises
    ------
    LinerateError
        This machine cannot: no root, no compiled programs.
    """
    with telling(shown=True) as tell:
        box = own_box(tell).box
    chosen = [case for case in (cases() if given is None else given)
              if not asked.only or case.name in asked.only]  # fmt: skip
    rows = [judged(box, asked.queues, one, name) for one in rounds_of(asked, chosen, box)
            for name in one.case.datapaths]  # fmt: skip
    table = pd.DataFrame(rows)
    known = table["measured_ns"].notna()
    print(f"{(~known).sum()} of {len(table)} lab runs left out: others never left them alone",
          file=sys.stderr)  # fmt: skip
    return box, table[known]


def cells_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Take medians over rounds of each program, traffic and hook.

    Errors and spread, largest less smallest, are shares of the measured time; ``inside`` and
    ``runs`` count lab runs inside their interval, and all.
    """
    by = rows.groupby(["program", "traffic", "datapath"], sort=False)
    hands = ["by_hand", "by_repeat"]
    predicted = [f"{name}_ns" for name in hands]
    cells = by[["predicted_ns", "measured_ns", *predicted]].median().reset_index()
    taken = by["measured_ns"].agg(np.ptp).to_numpy() / cells["measured_ns"]
    return cells.assign(
        spread=taken, error=cells["predicted_ns"] / cells["measured_ns"] - 1,
        **{name: cells[f"{name}_ns"] / cells["measured_ns"] - 1 for name in hands},
        inside=by["inside"].sum().to_numpy(), runs=by.size().to_numpy(),
    ).drop(columns=predicted).round(3)  # fmt: skip


def print_cells(rows: pd.DataFrame) -> None:
    """Print the cells in CSV, and a line for each hook beside it."""
    found = cells_of(rows)
    print(found.to_csv(index=False), end="")
    for name, own in found.groupby("datapath", sort=False):
        runs = rows[rows["datapath"] == name]
        cell = runs.groupby(["program", "traffic"]).ngroup()
        off, hand, repeat = (spread(own[one].to_numpy())
                             for one in ("error", "by_hand", "by_repeat"))  # fmt: skip
        floor = floor_of_medians(runs["measured_ns"], cell, np.zeros(len(runs)))
        print(f"{name}: {len(own)} cells off by {off} %, by hand {hand}, by the "
              f"kernel's repeats {repeat}, floor {floor}; signed "
              f"{100 * own['error'].median():+.1f}; inside {runs['inside'].sum()} of {len(runs)}; "
              f"verdicts right {100 * runs['right'].mean():.1f} %", file=sys.stderr)  # fmt: skip


def arguments(about: str) -> argparse.ArgumentParser:
    """Read what is asked of a campaign of own programs."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--rounds", type=int, default=3, help="test runs and lab runs of each")
    parser.add_argument("--queues", type=int, default=1, help="receive queues, a core each")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="programs; all if left out")
    parser.add_argument("--rows", type=Path, help="CSV to write each lab run and its interval to")
    return parser


def run(asked: argparse.Namespace, name: str, given: Iterable[Case] | None = None) -> int:
    """Measure, and print a table in CSV; errors are shares of the measured time of a packet."""
    try:
        _, rows = measure_rows(asked, given)
    except LinerateError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return error.exit_code
    if asked.rows:
        rows.to_csv(asked.rows, index=False)
    print_cells(rows)
    return 0


if __name__ == "__main__":
    about = "Predict the programs of bpf/examples, then measure them."
    sys.exit(run(arguments(about).parse_args(), "objects"))
