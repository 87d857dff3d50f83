"""Predict a token bucket of several limits, with its floods and without, beside runs of it.

    sudo .venv/bin/python -m benchmarks.own.limiters [--rounds 3]

Each round of a limit, hook and number of queues tries the hook, test-runs and floods the program,
tries the hook again, and measures the program in a lab of its own. Base costs are those of this
machine's calibration.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from linerate.errors import LinerateError
from linerate.measure.objects.calibrating.own_box import own_box
from linerate.measure.objects.calibrating.recheck import look_at, rechecked_box
from linerate.measure.objects.lab import attach_object, open_object_lab, packet_ns, send_frames
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.rate_limits import floods
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.models.objects import ObjectQuestion, answer_object
from linerate.models.validation.spread import spread
from linerate.progress import telling

LIMITS_NS = (500, 1000, 2000, 10_000)
"""Between two packets that are let through."""
DATAPATHS = ("xdp_native", "xdp_generic")
QUEUES = (1, 2)
MAPS = Path(__file__).resolve().parents[2] / "bpf/examples/counting/token_bucket.toml"
TIMING = Timing(warm_up_seconds=0.3, seconds=0.3)


def rows(rounds: int) -> Iterator[dict[str, object]]:
    """Predict and measure each cell in turn, then all of them again.

    Raises
    ------
    LinerateError
        This machine cannot: no root, no compiled programs.
    """
    path, frames = built.program_object("token_bucket"), of_size(64)
    listing = list_object(path)
    with telling(shown=True) as tell:
        box = own_box(tell).box
    with telling(shown=False) as silent:
        for turn, limit_ns, datapath in product(range(rounds), LIMITS_NS, DATAPATHS):
            settings = read_settings(listing, MAPS, [f"packet_ns={limit_ns}"])
            tested = UnderTest(path=path, entry="token_bucket", settings=settings,
                               datapath=datapath, cores=max(QUEUES))  # fmt: skip
            before = look_at(datapath, silent)
            times = time_program(tested, frames, silent)
            seen = tuple(floods(tested, [frames], queues)[0] for queues in QUEUES)
            now = rechecked_box(box, datapath, (before, look_at(datapath, silent)))
            for queues in QUEUES:
                question = ObjectQuestion(datapath=datapath, link_gbps=np.inf, queues=queues,
                                          now_deviation=now.deviation)  # fmt: skip
                answer = answer_object(replace(times, floods=seen), now.box, question)
                with (
                    open_object_lab("serial", queues, datapath) as lab,
                    plan_file(settings, frames) as plan,
                    attach_object(lab, datapath, path, tested.entry, plan) as program,
                ):
                    taken_ns = packet_ns(send_frames(program, plan, TIMING))
                without = answer_object(times, now.box, question)
                yield {
                    "turn": turn, "limit_mpps": 1e3 / limit_ns, "datapath": datapath,
                    "queues": queues, "measured_ns": taken_ns,
                    "predicted_ns": answer.base_ns + answer.program_ns,
                    "without_ns": without.base_ns + without.program_ns,
                    "inside": 1e3 * queues / answer.upper_mpps <= taken_ns
                    <= 1e3 * queues / answer.lower_mpps,
                }  # fmt: skip


def main() -> int:
    """Print medians over rounds in CSV; errors are shares of the measured time of a packet."""
    parser = argparse.ArgumentParser(description="Predict a token bucket, then measure it.")
    parser.add_argument("--rounds", type=int, default=3, help="test runs and lab runs of each")
    try:
        found = pd.DataFrame(rows(parser.parse_args().rounds))
    except LinerateError as error:
        print(f"limiters: {error}", file=sys.stderr)
        return error.exit_code
    by = found.groupby(["limit_mpps", "datapath", "queues"], sort=False)
    cells = by[["measured_ns", "predicted_ns", "without_ns"]].median()
    cells["inside"] = by["inside"].sum()
    print(cells.round(1).to_csv(), end="")
    for queues, own in cells.groupby("queues"):
        off, without = (
            spread((own[name] / own["measured_ns"] - 1).to_numpy())
            for name in ("predicted_ns", "without_ns")
        )
        print(f"{queues} queues: {off} % off, without floods {without} %, "
              f"{own['inside'].sum()} of {by.size().loc[:, :, queues].sum()} inside")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
