"""How far off latencies of own programs are: ``sudo python -m benchmarks.own.latency``.

Calibrates this machine, then times each program of bpf/examples that sends the generator's packets
back, and measures it in the split lab at shares of what it forwards there, loaded anew in each
round. Latency was calibrated on programs that do nothing but send packets back.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
from benchmarks.objects import Case, cases

from linerate.box import Box
from linerate.errors import LinerateError
from linerate.measure.objects.calibrating.calibration import calibrate
from linerate.measure.objects.calibrating.latency import split_latency, split_ns, three_of
from linerate.measure.objects.lab import attach_object, open_object_lab
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.system.describe import this_box
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.progress import telling

DATAPATHS = ("xdp_native", "xdp_generic")
RATIOS = (0.1, 0.2, 0.4, 0.6, 0.75)


def measured(case: Case, datapath: str) -> Iterator[tuple[float, float, float, float]]:
    """Load a program anew; of each load Mpps, and p50, mean and p99 in us of what came back."""
    with (
        open_object_lab("split", 1, datapath, case.settings.environment) as lab,
        plan_file(case.settings, case.frames) as plan,
        attach_object(lab, datapath, case.path, case.entry, plan) as program,
    ):
        capacity_mpps = 1e3 / split_ns(program)
        for ratio in RATIOS:
            offered_mpps = ratio * capacity_mpps
            try:
                yield offered_mpps, *three_of(split_latency(program, offered_mpps))
            except LinerateError:  # it sends nothing back as it was
                return


def compare(case: Case, datapath: str, box: Box, rounds: int) -> pd.DataFrame:
    """Medians over rounds of what was measured at each load, beside what was predicted."""
    tested = UnderTest(path=case.path, entry=case.entry, settings=case.settings)
    with telling(shown=False) as silent:
        times = time_program(tested, case.frames, silent)
    names = ["mpps", "p50_us", "mean_us", "p99_us"]
    runs = pd.DataFrame(
        [(ratio, *seen) for _ in range(rounds)
         for ratio, seen in zip(RATIOS, measured(case, datapath), strict=False)],
        columns=["ratio", *names],
    )  # fmt: skip
    spread = runs.groupby("ratio")["p50_us"].agg(lambda values: np.ptp(values) / values.median())
    found = runs.groupby("ratio")[names].median().assign(spread=spread).reset_index()
    question = ObjectQuestion(datapath=datapath, link_gbps=inf, queues=1)
    answered = [
        answer_object(times, box, replace(question, offered_mpps=mpps)).loads[0]
        for mpps in found["mpps"]
    ]
    for name in ("p50_us", "mean_us", "p99_us"):
        found[f"predicted_{name}"] = [getattr(load, name) for load in answered]
    found["inside"] = [
        load.lower_p50_us <= seen <= load.upper_p50_us
        for load, seen in zip(answered, found["p50_us"], strict=True)
    ]
    return found.assign(program=case.name, datapath=datapath)


def main() -> int:
    """Print every load, and errors by datapath."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3, help="loads of each program")
    asked = parser.parse_args()
    try:
        with telling(shown=True) as tell:
            box = replace(this_box("veth"), costs=calibrate(tell))
        found = pd.concat([
            compare(case, datapath, box, asked.rounds)
            for case in cases() if case.traffic == "64 B" for datapath in DATAPATHS
        ])  # fmt: skip
    except LinerateError as error:
        print(f"latency: {error}", file=sys.stderr)
        return error.exit_code
    print(found.round(2).to_string(index=False))
    for datapath, rows in found.groupby("datapath"):
        for name in ("p50_us", "mean_us", "p99_us"):
            errors = (rows[f"predicted_{name}"] / rows[name] - 1.0).abs()
            print(f"{datapath} {name}: {len(rows)} loads of {rows['program'].nunique()} programs, "
                  f"off by {errors.median():.1%} in the median, {errors.mean():.1%} in the mean, "
                  f"{errors.quantile(0.9):.1%} P90")  # fmt: skip
        print(f"{datapath}: p50 inside its 90 % interval {int(rows['inside'].sum())}; spread of "
              f"three loads {rows['spread'].median():.0%} in the median")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
