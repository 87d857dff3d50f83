"""One function measured on every datapath that this machine has: which technology serves it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from linerate.errors import cannot_here
from linerate.line_rate import SUSTAINED_RATIO
from linerate.measure.campaign.functions import (
    Function,
    comparing,
    comparing_pipeline,
    function_named,
    laid_out,
    without,
)
from linerate.measure.campaign.whole import measure
from linerate.measure.system import datapaths, survey
from linerate.measure.system.machine import tool_path
from linerate.models.comparison import Standing, stand
from linerate.units import line_rate_mpps

SWX = "swx"
OF_SWX = ("swx is not ranked: its lcore makes packets itself and throws them away, in a campaign "
          "behind the others: no device, generator or sink is in its time.")  # fmt: skip
REPETITIONS = 5
FRAME_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Datapaths with one function, the fastest first."""

    does: str
    """What is done to a packet."""
    frame_bytes: int
    standings: tuple[Standing, ...]
    absent: dict[str, tuple[str, ...]]
    """Datapaths that this machine cannot run, and what it lacks."""
    lacking: Mapping[str, str]
    """Datapaths that do not have the function, and why."""
    out: Path
    """Folder of the runs."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON; what is not known is null."""
        return {
            "does": self.does, "frame_bytes": self.frame_bytes, "out": str(self.out),
            "absent": {name: list(lacks) for name, lacks in self.absent.items()},
            "lacking": dict(self.lacking),
            "standings": [
                {name: None if isinstance(value, float) and math.isnan(value) else value
                 for name, value in each.to_dict().items()}
                for each in self.standings
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        first = self.standings[0]
        lines = [f"Frames of {self.frame_bytes} B, {self.does}, on one core: {first.datapath} is "
                 f"fastest, {first.packet_ns:.0f} ns a packet, {first.mpps:.3g} Mpps"
                 f"{_sustains(first, self.frame_bytes)}."]  # fmt: skip
        lines += [_line(each) for each in self.standings]
        lines += [f"Not here: {name} (needs {', '.join(lacks)}); linerate doctor tells more."
                  for name, lacks in self.absent.items()]  # fmt: skip
        for why in dict.fromkeys(self.lacking.values()):
            names = [name for name, each in self.lacking.items() if each == why]
            lines.append(f"Not {', '.join(names)}: {why}.")
        lines += [OF_SWX] if any(each.datapath == SWX for each in self.standings) else []
        lines.append(
            "Generator and device take turns on one core: the generator's time, about the same for "
            f"all, is in each. Intervals: 90 %, of the median of {first.loads} program loads; "
            "times fastest: in the same repetitions. A network card comes on top."
        )
        return "\n".join(lines)


def compare(
    function: str | Function,
    *,
    out: str | os.PathLike[str],
    frame_bytes: int = FRAME_BYTES,
    repetitions: int = REPETITIONS,
    progress: bool = True,
) -> Comparison:
    """Measure a function on every datapath that this machine has, and rank them.

    Parameters
    ----------
    function
        ``drop``, ``drop-subnet``, ``drop-route``, ``drop-count``, ``forward``, ``accesses``,
        ``route`` or ``count``, or what ``function_named`` gives.
    out
        New folder for the runs, as of any campaign.
    frame_bytes
        Size with FCS.
    repetitions
        Program loads of each datapath, interleaved.
    progress
        Whether to show a bar.

    Raises
    ------
    BadInputError
        No such function, or a folder that is not empty.
    CannotHereError
        No root, or no datapath of the function runs here.
    """
    chosen = function_named(function) if isinstance(function, str) else function
    unable: dict[str, tuple[str, ...]] = {
        name: (tool,) for name, tool in chosen.tools.items() if tool_path(tool) is None
    }
    unable |= {each.name: each.obstacles for each in datapaths(survey()) if not each.can}
    wanted = {name for block in chosen.blocks for name in block["datapath"]}
    wanted |= {SWX} if chosen.operations is not None else set()
    absent = {name: lacks for name, lacks in unable.items() if name in wanted}
    here = without(chosen, absent)
    if not here.blocks and here.operations is None:
        raise cannot_here(", ".join(sorted(absent)), why="none of them runs here",
                          do="see linerate doctor")  # fmt: skip
    pipeline = comparing_pipeline(here, frame_bytes, repetitions)
    tables = []
    if here.blocks:
        with laid_out(comparing(here, frame_bytes, repetitions), here) as plan:
            tables.append(measure(plan, out=out, progress=progress).table)
    if pipeline:
        tables.append(measure(pipeline, out=Path(out) / SWX, progress=progress).table)
    return Comparison(
        does=chosen.does, frame_bytes=frame_bytes, absent=absent, lacking=chosen.lacking,
        standings=stand(pd.concat(tables, ignore_index=True)), out=Path(out),
    )  # fmt: skip


def _line(each: Standing) -> str:
    ends = "" if math.isnan(each.lower_ns) else f" [{each.lower_ns:.0f} to {each.upper_ns:.0f}]"
    words = f"  {each.datapath:22} {each.mpps:7.3g} Mpps {each.packet_ns:7.0f} ns{ends:16}"
    words += f" {each.slower:6.2f} times fastest" if each.ranked else " not ranked"
    if each.ranked and not math.isnan(each.lower_slower) and each.slower != 1.0:
        words += f" [{each.lower_slower:.2f} to {each.upper_slower:.2f}]"
    if each.p50_us is not None and each.p99_us is not None:
        words += f"; latency p50 {each.p50_us:.3g} us, p99 {each.p99_us:.3g} us"
    if each.busy_ratio is not None:
        words += f", CPU {100 * each.busy_ratio:.0f} %"
    return words


def _sustains(first: Standing, frame_bytes: int) -> str:
    line_mpps = float(line_rate_mpps(10.0, frame_bytes))
    cores = math.ceil(SUSTAINED_RATIO * line_mpps / first.mpps)
    return f"; 10 Gbit/s line rate is {line_mpps:.4g} Mpps, {cores} such cores"
