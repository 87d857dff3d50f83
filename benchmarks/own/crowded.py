"""How far answers of test runs vary, with and without loading crowded loads again.

``sudo python -m benchmarks.own.crowded [--repeats N]``

Six programs of bpf/examples are timed again and again, as `linerate fits` does, with and without it
in turn. Prints the standard deviation of the medians, % of their mean, and all medians.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from linerate.measure.objects import test_run
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.test_run import UnderTest, time_program
from linerate.measure.objects.traffic.frames import Frames, read_frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.progress import telling

EXAMPLES = Path(__file__).resolve().parents[2] / "bpf/examples"
PROGRAMS = ("filtering/payload_match", "filtering/dns_name", "filtering/firewall",
            "filtering/prefix_filter", "rewriting/nat", "forwarding/balance_l4")  # fmt: skip
FRAME_BYTES = 64
NEVER = float("inf")


@dataclass(slots=True, kw_only=True)
class _Answers:
    crowded: float
    """Ratio from which on a load counts as crowded."""
    medians_ns: list[float] = field(default_factory=list)

    def ask(self, tested: UnderTest, frames: Frames) -> None:
        test_run.CROWDED = self.crowded
        with telling(shown=False) as tell:
            self.medians_ns.append(float(np.median(time_program(tested, frames, tell).program_ns)))

    @property
    def spread_percent(self) -> float:
        return 100.0 * float(np.std(self.medians_ns) / np.mean(self.medians_ns))


def main() -> None:
    """Time, and print a line for each program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=8)
    repeats, usual = parser.parse_args().repeats, test_run.CROWDED
    for program in PROGRAMS:
        tested, frames = _program(EXAMPLES / program)
        forms = [_Answers(crowded=NEVER), _Answers(crowded=usual)]
        for repeat in range(repeats):
            for form in forms[:: -1 if repeat % 2 else 1]:
                form.ask(tested, frames)
        without, again = forms
        print(f"{tested.entry:14} {np.mean(again.medians_ns):6.1f} ns: varies by "
              f"{without.spread_percent:.1f} % without, {again.spread_percent:.1f} % with it: "
              f"{[round(ns) for ns in without.medians_ns]}, "
              f"{[round(ns) for ns in again.medians_ns]}", flush=True)  # fmt: skip


def _program(source: Path) -> tuple[UnderTest, Frames]:
    """Find the object of an example, its maps and its traffic, where it has its own."""
    path = built.program_object(source.name)
    listing = list_object(path)
    maps, own = source.with_suffix(".toml"), source.with_suffix(".json")
    settings = read_settings(listing, maps if maps.exists() else None, ())
    frames = read_frames(own) if own.exists() else of_size(FRAME_BYTES)
    return UnderTest(path=path, entry=source.name, settings=settings), frames


if __name__ == "__main__":
    main()
