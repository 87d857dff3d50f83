"""A calibration as of now: a shared host is faster or slower than it was when costs were measured.

A program that only drops is loaded a few times in the lab. What it takes by its calibrated cost is
taken to have happened to all that the hook costs, and test runs count as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linerate.box import Box, Cost
from linerate.measure.objects.calibrating.calibration import (
    TIMING,
    base_entry,
    usual_run_ns,
)
from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, time_once
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import COST_PARTS, FRAME_BYTES, YARDSTICK, cost_name
from linerate.progress import Tell

LOADS = 3
VERDICT = "drop"
"""What each hook can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxNow:
    """A box whose costs of one hook are those of now."""

    box: Box
    ratio: float
    """Of what the hook costs now to what was calibrated; nan where the host stalled all the time,
    and the box is as it was."""


def box_now(box: Box, datapath: str, tell: Tell) -> BoxNow:
    """Bring a hook's base costs up to date, in about a second.

    Parameters
    ----------
    box
        Calibrated on this machine.
    datapath
        ``xdp_native``, ``xdp_generic`` or ``tc``.
    tell
        Called before each load.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    taken_ns = []
    with (
        open_object_lab("serial", 1, datapath) as lab,
        plan_file(NOTHING, of_size(FRAME_BYTES[0])) as plan,
    ):
        for load in range(LOADS):
            tell("base costs now", load, LOADS)
            path, entry = built.program_object("verdicts"), base_entry(datapath, VERDICT)
            with attach_object(lab, datapath, path, entry, plan) as attached:
                taken_ns.append(usual_run_ns([send_frames(attached, plan, TIMING)]))
        yardstick_ns = time_once(of_size(FRAME_BYTES[0]))
    ran_ns = [ns for ns in taken_ns if np.isfinite(ns)]
    if not ran_ns:
        return BoxNow(box=box, ratio=np.nan)
    ratio = float(np.median(ran_ns)) / _calibrated_ns(box, datapath)
    costs = {
        name: _scaled(cost, ratio) if _is_base(name, datapath) else cost
        for name, cost in box.costs.items()
    }
    speed = _scaled(box.costs[YARDSTICK], yardstick_ns / box.costs[YARDSTICK].value_ns)
    return BoxNow(box=replace(box, costs={**costs, YARDSTICK: speed}), ratio=ratio)


def _calibrated_ns(box: Box, datapath: str) -> float:
    return box.costs[cost_name(datapath, VERDICT, FRAME_BYTES[0], 1)].value_ns


def _is_base(name: str, datapath: str) -> bool:
    parts = name.split(".")
    return len(parts) == COST_PARTS and parts[0] == datapath


def _scaled(cost: Cost, ratio: float) -> Cost:
    return Cost(value_ns=ratio * cost.value_ns, lower_ns=ratio * cost.lower_ns,
                upper_ns=ratio * cost.upper_ns)  # fmt: skip
