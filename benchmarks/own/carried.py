"""How far off a program is that was timed here and is asked about on another box.

``sudo python -m benchmarks.own.carried TABLE BOX``: TABLE is a gallery's, measured there
(`benchmarks.gallery`), BOX that machine's calibration. Each program of bpf/examples is timed here,
and answered for BOX without a run of it there, and with one of its other frame size.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.objects import DATAPATHS, Case, cases

from linerate.box import Box, read_box
from linerate.errors import LinerateError
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.models.objects.learnt import RunThere
from linerate.models.validation.spread import spread
from linerate.programs.times import ProgramTimes
from linerate.progress import telling

Key = tuple[str, str, str]
"""Program, traffic and datapath."""


def main() -> int:
    """Print errors, intervals and how many measurements lie inside, by number of runs there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("box", type=Path)
    asked = parser.parse_args()
    try:
        found = pd.DataFrame(rows(pd.read_csv(asked.table, comment="#"), read_box(asked.box)))
    except LinerateError as error:
        print(f"carried: {error}", file=sys.stderr)
        return error.exit_code
    for (datapath, runs), own in found.groupby(["datapath", "runs"]):
        errors = own["error"].to_numpy()
        print(f"{datapath}, {runs} runs there: {len(own)} cells off by {spread(errors)} %, "
              f"signed {100 * np.median(errors):+.1f}; inside {own['inside'].sum()}; half-width "
              f"{100 * own['half'].mean():.0f} %")  # fmt: skip
    return 0


def rows(measured: pd.DataFrame, box: Box) -> Iterator[dict[str, object]]:
    """Time each program here, and hold its answers for the box against what was measured there."""
    names = ["program", "traffic", "datapath"]
    there: dict[Any, float] = measured.set_index(names)["measured_ns"].to_dict()
    with telling(shown=True) as tell:
        for case in cases():
            tested = UnderTest(path=case.path, entry=case.entry, settings=case.settings)
            times = time_program(tested, case.frames, tell)
            for datapath in DATAPATHS:
                yield from judged(case, times, box, datapath, there)


def judged(
    case: Case, times: ProgramTimes, box: Box, datapath: str, there: Mapping[Key, float]
) -> Iterator[dict[str, object]]:
    """Answer without a run there, and with one of another frame size where there is one."""
    taken_ns = there[case.name, case.traffic, datapath]
    others = [(other, ns) for (name, other, hook), ns in there.items()
              if (name, hook) == (case.name, datapath) and other != case.traffic]  # fmt: skip
    runs = [RunThere(frame_bytes=float(size.split()[0]), queues=1, packet_ns=ns)
            for size, ns in others]  # fmt: skip
    for number in range(len(runs) + 1):
        question = ObjectQuestion(datapath=datapath, link_gbps=np.inf, queues=1, carried=True,
                                  runs=tuple(runs[:number]))  # fmt: skip
        answer = answer_object(times, box, question)
        yield {
            "datapath": datapath, "runs": number, "error": answer.packet_ns / taken_ns - 1,
            "inside": answer.lower_mpps <= 1e3 / taken_ns <= answer.upper_mpps,
            "half": (answer.upper_mpps / answer.lower_mpps) ** 0.5 - 1,
        }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
