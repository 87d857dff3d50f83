"""Cases of a pipeline that was run on its traffic: what its packets took tells the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linerate.models.pipelines.case import Cases
from linerate.normal import MEDIAN_ERROR, NORMAL_90

MOMENT = 0.025
"""Standard deviation of a packet's time between one part of an hour and the next on one machine,
relative: pipelines of a campaign took up to 4 % more or less in the next (docs/pipelines.md), and
rulesets are held to the same (docs/rulesets.md)."""


def held_against(cases: Cases, ran_ns: Sequence[float]) -> Cases:
    """Hold the cases of a traffic against what its packets took.

    The mean is what was measured. Each path costs more or less than it is priced at by the same
    factor as the mean. What is open of a path's price beside that is what would be if prices of
    paths were off independently of each other: paths share operations, so less is.

    Parameters
    ----------
    cases
        Best, expected and worst, as they are priced.
    ran_ns
        Time of a packet of this traffic in each load of the pipeline, ns; at least one.
    """
    best, expected, worst = cases
    took_ns = float(np.median(ran_ns))
    of_loads = MEDIAN_ERROR * expected.load_reach / len(ran_ns) ** 0.5
    width = float(np.hypot(of_loads, NORMAL_90 * MOMENT))
    factor = took_ns / expected.packet_ns
    best, worst = (
        replace(case.times(factor), width=float(np.hypot(width, case.width * case.alone ** 0.5)))
        for case in (best, worst)
    )  # fmt: skip
    priced = (expected.packet_ns, expected.lower_ns, expected.upper_ns)
    return best, replace(expected.times(factor), width=width, in_domain=True, priced=priced), worst
