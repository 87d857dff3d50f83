"""A program timed as one would by hand: ``bpftool prog run``, and the kernel repeats a frame.

The kernel never puts a frame back between repeats: a program that encapsulates, answers or takes
something off finds its own work from the second one on. linerate's test runs put each frame back.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from linerate.measure.labs.veth import VethLab
from linerate.measure.objects.lab import attach_object
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import FRAME_BYTES

REPEATS = 200_000
FRAMES_MAX = 16
"""Frames that are run, the most frequent first."""


def repeated_ns(lab: VethLab, frames: Frames) -> float:
    """Time the program that is attached to a lab's device, the mean over its frames, ns.

    Parameters
    ----------
    lab
        One program is attached to its device, with its maps filled.
    frames
        Each is repeated by itself; their shares are their weights.
    """
    (link,) = json.loads(lab.dut.run(["ip", "-json", "link", "show", "dev", lab.dut_device]))
    if "xdp" not in link:
        return np.nan  # a program at tc, where this is not done by hand
    number = link["xdp"]["prog"]["id"]
    order = np.argsort(-np.asarray(frames.weights), kind="stable")[:FRAMES_MAX]
    taken = [_run_ns(lab, number, frames.packets[frame]) for frame in order]
    return float(np.average(taken, weights=np.asarray(frames.weights)[order]))


def empty_repeated_ns(lab: VethLab, datapath: str) -> float:
    """Time a program that does nothing but pass its frame, as `repeated_ns` does; nan at tc."""
    if datapath == "tc":
        return np.nan
    frames = of_size(FRAME_BYTES[0])
    with (
        plan_file(NOTHING, frames) as plan,
        attach_object(lab, datapath, built.program_object("verdicts"), "pass", plan),
    ):
        return repeated_ns(lab, frames)


def _run_ns(lab: VethLab, number: int, packet: bytes) -> float:
    """Repeat one frame; the kernel gives whole nanoseconds of one pass."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(packet)
        argv: Sequence[str] = ["bpftool", "--json", "prog", "run", "id", str(number),
                               "data_in", file.name, "repeat", str(REPEATS)]  # fmt: skip
        return float(json.loads(lab.dut.run(argv))["duration"])
