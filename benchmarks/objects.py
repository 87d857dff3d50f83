"""How far predictions of own programs are off: ``sudo python benchmarks/objects.py [--rounds N]``.

Calibrates this machine, then predicts each program of bpf/examples by test runs and measures it in
the veth lab, in turn, native and generic, at 64 and 1500 B where the traffic is generated. The hand
predictor beside it is the base cost of one verdict plus test run less empty program, without the
yardstick. ``--queues 2`` predicts and measures as many at once, ``--only`` takes a few programs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from linerate.box import Box
from linerate.errors import LinerateError
from linerate.measure.objects.calibrating.calibration import calibrate
from linerate.measure.objects.entry import choose_entry
from linerate.measure.objects.lab import attach_object, open_object_lab, packet_ns, send_frames
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import Settings, read_settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.system.describe import this_box
from linerate.measure.trials.bench import Timing
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.progress import telling

EXAMPLES = Path(__file__).resolve().parents[1] / "bpf/examples"
ENTRIES = {"stages": "parse"}
DATAPATHS = ("xdp_native", "xdp_generic")
SIZES = (64, 1500)
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


def measured_ns(case: Case, datapath: str, queues: int) -> float:
    """Load a program anew in the lab, and take the time of a packet on one of the cores."""
    with (
        open_object_lab("serial", queues, datapath, case.settings.environment) as lab,
        plan_file(case.settings, case.frames) as plan,
        attach_object(lab, datapath, case.path, case.entry, plan) as program,
    ):
        return packet_ns(send_frames(program, plan, TIMING))


def compare(case: Case, box: Box, rounds: int, queues: int) -> None:
    """Print one line for each datapath; errors are of the median over rounds."""
    tested = UnderTest(path=case.path, entry=case.entry, settings=case.settings, cores=queues)
    with telling(shown=False) as silent:
        runs = [
            (
                time_program(tested, case.frames, silent),
                {name: measured_ns(case, name, queues) for name in DATAPATHS},
            )
            for _ in range(rounds)
        ]  # fmt: skip
    for datapath in DATAPATHS:
        question = ObjectQuestion(datapath=datapath, link_gbps=np.inf, queues=queues)
        answers = [answer_object(times, box, question) for times, _ in runs]
        predicted = float(np.median([a.base_ns + a.program_ns for a in answers]))
        hands = [np.median(times.program_ns) for times, _ in runs]
        by_hand = float(np.median([a.base_ns for a in answers]) + np.median(hands))
        taken = [measured[datapath] for _, measured in runs]
        middle = float(np.median(taken))
        inside = sum(1e3 / a.upper_mpps <= ns / queues <= 1e3 / a.lower_mpps
                     for a, ns in zip(answers, taken, strict=True))  # fmt: skip
        print(f"{case.name},{case.traffic},{datapath},{predicted:.1f},{middle:.1f},"
              f"{np.ptp(taken) / middle:.3f},{predicted / middle - 1:+.3f},"
              f"{by_hand / middle - 1:+.3f},{inside}/{rounds}", flush=True)  # fmt: skip


def main() -> int:
    """Print a table in CSV; errors are shares of the measured time of a packet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3, help="test runs and lab runs of each")
    parser.add_argument("--queues", type=int, default=1, help="receive queues, a core each")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="programs; all if left out")
    asked = parser.parse_args()
    try:
        with telling(shown=True) as tell:
            box = replace(this_box("veth"), costs=calibrate(tell))
        print("program,traffic,datapath,predicted_ns,measured_ns,spread,error,by_hand,inside")
        for case in cases():
            if not asked.only or case.name in asked.only:
                compare(case, box, asked.rounds, asked.queues)
    except LinerateError as error:
        print(f"objects: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
