"""How far predictions of functions on AF_XDP are off: ``sudo python benchmarks/own/functions.py``.

Each round measures AF_XDP by itself, then times each function of measure/functions/examples in a
child and measures it in the veth lab, all in turn; predictions are of those base costs and times,
and no run of a function is part of them. Both are in units of the yardstick, taken before and
after, so that a host which changes its speed does so for both; beside it stands the clock's.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from pathlib import Path

import numpy as np

from linerate.box import Cost
from linerate.cells import Load
from linerate.measure.datapaths.af_xdp.forwarder import run_forwarder
from linerate.measure.datapaths.af_xdp.settings import SocketSettings
from linerate.measure.functions.base import measure_sockets
from linerate.measure.functions.lab import send_frames_to
from linerate.measure.generators.live_frames import Stream
from linerate.measure.labs.veth import open_veth_lab
from linerate.measure.objects.calibrating.calibration import cost_of, unstalled_ns
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_once, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.system.describe import this_box
from linerate.measure.trials.bench import Timing
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.programs.costs import SOCKETS, YARDSTICK
from linerate.programs.times import ProgramTimes

FUNCTIONS = Path(__file__).resolve().parents[2] / "measure/functions"
SIZES = (64, 1518)
TIMING = Timing(warm_up_seconds=0.02, seconds=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One function on frames of one size."""

    tested: UnderTest
    frame_bytes: int

    def times(self) -> ProgramTimes:
        """Load it once, and time it."""
        return time_programs((self.tested,), of_size(self.frame_bytes), lambda *_: None, 1)[0]

    def measured_ns(self) -> float:
        """Load it into the threads of sockets, and measure a packet's time on one core."""
        function = ["--function", self.tested.path, "--entry", self.tested.entry]
        flood = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=inf)
        with (
            open_veth_lab("serial", 1, gro=False) as lab,
            run_forwarder(lab, SocketSettings(), function) as forwarder,
            plan_file(NOTHING, of_size(self.frame_bytes)) as plan,
        ):
            stream = Stream(load=flood, mode="serial", line_rate_mpps=inf, cores=(0,))
            return unstalled_ns(lambda: send_frames_to(lab, forwarder, plan, stream, TIMING)[0])


def cases(folder: Path) -> list[Case]:
    """Compile every example."""
    found = []
    for source, size in product(sorted(FUNCTIONS.glob("examples/*.c")), SIZES):
        path = folder / f"{source.stem}.so"
        argv = ["cc", "-O2", "-fPIC", "-shared", f"-I{FUNCTIONS}/include", "-o", path, source]
        subprocess.run(argv, check=True)
        tested = UnderTest(path=path, entry=source.stem, settings=NOTHING, datapath=SOCKETS)
        found.append(Case(tested=tested, frame_bytes=size))
    return found


def joined(loads: list[ProgramTimes]) -> ProgramTimes:
    """Put the loads of several rounds together."""
    return replace(
        loads[0], program_ns=tuple(ns for one in loads for ns in one.program_ns),
        yardstick_ns=tuple(ns for one in loads for ns in one.yardstick_ns),
    )  # fmt: skip


def main() -> None:
    """Predict and measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    base, times = defaultdict(list), defaultdict(list)
    measured, clocked = defaultdict(list), defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        every = cases(Path(folder))
        for _ in range(rounds):
            yardstick_ns = time_once(of_size(64))
            base[YARDSTICK].append(yardstick_ns)
            for name, ns in measure_sockets(1, TIMING, unstalled_ns).items():
                base[name].append(ns / yardstick_ns)
            for case in every:
                times[case].append(case.times())
                before_ns = time_once(of_size(64))
                found_ns = case.measured_ns()
                around_ns = (before_ns + time_once(of_size(64))) / 2
                clocked[case].append(found_ns)
                measured[case].append(found_ns / around_ns)
    usual_ns = float(np.median(base.pop(YARDSTICK)))
    costs = {name: cost_of(name, np.array(ratios) * usual_ns) for name, ratios in base.items()}
    costs[YARDSTICK] = Cost(value_ns=usual_ns, lower_ns=usual_ns, upper_ns=usual_ns)
    box = replace(this_box("veth"), costs=costs)
    question = ObjectQuestion(datapath=SOCKETS, link_gbps=inf, queues=1)
    errors, by_clock, inside = [], [], 0
    print("| function | B | in it, ns | predicted, ns (90 %) | measured, ns (loads) | off |")
    print("|---|---|---|---|---|---|")
    for case in every:
        answer = answer_object(joined(times[case]), box, question)
        found = usual_ns * np.array(measured[case])
        middle = float(np.nanmedian(found))
        ends = (1e3 / answer.upper_mpps, 1e3 / answer.lower_mpps)
        errors.append(abs(answer.packet_ns / middle - 1))
        by_clock.append(abs(answer.packet_ns / float(np.nanmedian(clocked[case])) - 1))
        inside += ends[0] <= middle <= ends[1]
        print(f"| {case.tested.entry} | {case.frame_bytes} | {answer.program_ns:.3g} "
              f"| {answer.packet_ns:.0f} ({ends[0]:.0f} to {ends[1]:.0f}) | {middle:.0f} "
              f"({np.nanmin(found):.0f} to {np.nanmax(found):.0f}) "
              f"| {answer.packet_ns / middle - 1:+.0%} |")  # fmt: skip
    print(
        f"\nmedian {np.median(errors):.1%}, mean {np.mean(errors):.1%}, P90 "
        f"{np.quantile(errors, 0.9):.1%}; {inside} of {len(errors)} in their intervals; "
        f"by the clock {np.median(by_clock):.1%} in the median"
    )


if __name__ == "__main__":
    main()
