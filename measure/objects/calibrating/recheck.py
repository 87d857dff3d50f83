"""A calibration as of now: a shared host is faster or slower than it was when costs were measured.

A program that does nothing but give its verdict is loaded a few times in the lab, before the
program in question is tested and after it: two looks. What it takes by its calibrated cost is taken
to have happened to all that the hook costs, and test runs count as they are. A few loads differ
from one another on a machine whose speed does not change, too, so of a change that they might have
found by chance only a part is believed; and a host is often slow for a second or two alone, so a
change counts as far as both looks show it. What they differ by makes an answer less sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from linerate.box import Box, Cost
from linerate.measure.objects.calibrating.rounds import (
    TIMING,
    base_entry,
    left_alone,
    unstalled_ns,
)
from linerate.measure.objects.lab import attach_object, open_object_lab, send_frames
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, time_once
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.normal import MEDIAN_ERROR, NORMAL_90
from linerate.programs.costs import BEHIND, FRAME_BYTES, YARDSTICK, cost_name, is_base
from linerate.progress import Tell

LOADS = 5
"""In a look, each in a lab of its own: labs differ by more than loads in one."""
USUAL_DRIFT = 0.015
"""Logarithm of what a hook costs some time later, over what it did, that is believed to be usual
before any of it is seen."""
TRIED = {"xdp_native": "tx", "xdp_generic": "tx", "tc": "pass"}
"""Verdict that a hook is tried by. Where the stack's buffer is dropped, at the generic hook and at
tc, loads of one program take one of two times 10 % apart; sent or passed on, they differ by 1 %."""


CHANGED_AGAIN = 0.5
"""Of the largest change that a look showed what may have happened again since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a hook and the yardstick took at one time."""

    ran_ns: tuple[float, ...]
    """Time of a packet in each load that others left alone for a while."""
    yardstick_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckedBox:
    """A box whose costs of one hook are those of now."""

    box: Box
    ratio: float
    """Of what the hook is believed to cost now to what was calibrated; nan where the host stalled
    in all of a look, and the box is as it was."""
    deviation: float
    """How unsteady the host was: a standard deviation, as a share of a packet's time; nan as
    above."""


def look_at(datapath: str, tell: Tell) -> Look:
    """Try what a hook costs, in about a second.

    Parameters
    ----------
    datapath
        ``xdp_native``, ``xdp_generic`` or ``tc``.
    tell
        Called before each load.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    taken_ns: list[float] = []
    path, entry = built.program_object("verdicts"), base_entry(datapath, TRIED[datapath])
    with plan_file(NOTHING, of_size(FRAME_BYTES[0])) as plan:
        for load in range(LOADS):
            tell("base costs now", load, LOADS)
            with (
                open_object_lab("serial", 1, datapath) as lab,
                attach_object(lab, datapath, path, entry, plan) as attached,
            ):
                send = partial(send_frames, attached, plan, TIMING)
                taken_ns.append(unstalled_ns(send, lab.generator_cores))
    ran_ns = np.array([ns for ns in taken_ns if np.isfinite(ns)])
    return Look(ran_ns=tuple(left_alone(ran_ns).tolist()),
                yardstick_ns=time_once(of_size(FRAME_BYTES[0])))  # fmt: skip


def rechecked_box(box: Box, datapath: str, looks: Sequence[Look]) -> RecheckedBox:
    """Bring a hook's base costs up to date.

    Parameters
    ----------
    box
        Calibrated on this machine.
    datapath
        That of the looks.
    looks
        One or more.
    """
    if not all(look.ran_ns for look in looks):
        return RecheckedBox(box=box, ratio=np.nan, deviation=np.nan)
    calibrated = box.costs[cost_name(datapath, TRIED[datapath], FRAME_BYTES[0], 1)]
    ratios = [believed_ratio(look.ran_ns, calibrated) for look in looks]
    ratio, behind = shown_by_all(ratios), f"{BEHIND}{datapath}."
    costs = {
        name: _scaled(cost, ratio) if is_base(name, datapath) or name.startswith(behind) else cost
        for name, cost in box.costs.items()
    }
    usual = box.costs[YARDSTICK]
    speed = shown_by_all([look.yardstick_ns / usual.value_ns for look in looks])
    return RecheckedBox(
        box=replace(box, costs={**costs, YARDSTICK: _scaled(usual, speed)}), ratio=ratio,
        deviation=float(np.hypot(_spread(looks), CHANGED_AGAIN * np.abs(np.log(ratios)).max())),
    )  # fmt: skip


def shown_by_all(ratios: Sequence[float]) -> float:
    """Take the change that all looks show: the least of them, 1 where they do not agree on one.

    >>> shown_by_all([1.2, 1.05]), shown_by_all([0.9, 0.8]), shown_by_all([1.2, 0.99])
    (1.05, 0.9, 1.0)
    """
    return float(min(ratios) if min(ratios) > 1.0 else min(1.0, max(ratios)))


def _spread(looks: Sequence[Look]) -> float:
    """Take the standard deviation of a load from others of its look, of the logarithm of times."""
    logs = [np.log(look.ran_ns) for look in looks]
    freedom = sum(len(each) - 1 for each in logs)
    squares = sum(float(np.sum((each - each.mean()) ** 2)) for each in logs)
    return float(np.sqrt(squares / freedom)) if freedom else 0.0


def believed_ratio(ran_ns: Sequence[float], calibrated: Cost) -> float:
    """Estimate what a hook costs now over what it did, of a few loads of one program.

    Parameters
    ----------
    ran_ns
        Time of a packet in each load, at least one.
    calibrated
        The same as calibrated, with its interval.

    Returns
    -------
    The ratio of their medians to the power :math:`w = v / (v + s^2)`: :math:`s` is the standard
    error of its logarithm, and :math:`v` the variance of a drift, what the logarithm leaves beyond
    :math:`s^2` and at least that of ``USUAL_DRIFT`` (an empirical Bayes estimate; Efron and Morris,
    1973).

    >>> calibrated = Cost(value_ns=50.0, lower_ns=49.0, upper_ns=51.0)
    >>> round(believed_ratio([60.0, 60.5, 60.2], calibrated), 3)
    1.203
    >>> round(believed_ratio([47.0, 51.0, 56.0], calibrated), 3)
    1.001
    """
    logs = np.log(np.asarray(ran_ns) / calibrated.value_ns)
    found = float(np.median(logs))
    of_loads = float(np.var(logs, ddof=1)) / len(logs) if len(logs) > 1 else USUAL_DRIFT**2
    of_calibration = np.log(calibrated.upper_ns / calibrated.lower_ns) / 2 / NORMAL_90
    chance = MEDIAN_ERROR**2 * of_loads + float(of_calibration) ** 2
    drift = max(found**2 - chance, USUAL_DRIFT**2)
    return float(np.exp(found * drift / (drift + chance)))


def _scaled(cost: Cost, ratio: float) -> Cost:
    return Cost(value_ns=ratio * cost.value_ns, lower_ns=ratio * cost.lower_ns,
                upper_ns=ratio * cost.upper_ns)  # fmt: skip
