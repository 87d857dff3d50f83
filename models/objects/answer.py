r"""Whether a user's program sustains line rate.

A packet takes the base cost of its verdict and size, and the time of the program beyond a program
that does nothing:

.. math:: r = q / \Bigl(\sum_f s_f\, b(v_f, l_f, q) + p\Bigr)

with shares :math:`s_f` of the frames, :math:`q` queues, base costs :math:`b` and program time
:math:`p`. The program's own time does not grow with queues; the base's does, as calibrated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from linerate.box import Box
from linerate.errors import bad_input
from linerate.line_rate import LIKELY, SUSTAINED_RATIO
from linerate.models.objects.base import NORMAL_90, Base, BaseCosts, base_costs
from linerate.program_times import ProgramTimes
from linerate.units import line_rate_mpps

RESIDUAL_RATIO = 0.12
"""Standard deviation of what base cost and test run leave open, as a share of a packet's time:
mostly that the speed of a shared host changes between calibration and run (docs/models/objects.md).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectQuestion:
    """Where the program is to run."""

    datapath: str
    link_gbps: float
    queues: int | None = None
    """None: the fewest that sustain line rate, of those calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAnswer:
    """What one program sustains on one datapath."""

    program: str
    datapath: str
    box: str
    frame_bytes: float
    """Mean size, with FCS."""
    link_gbps: float
    queues: int
    """Fewest that sustain line rate; where none does, the most that were calibrated."""
    sustains: bool
    sustains_line_rate: float
    """Probability, 0 to 1."""
    predicted_mpps: float
    lower_mpps: float
    upper_mpps: float
    """Ends of the 90 % interval."""
    line_rate_mpps: float
    bottleneck: str
    """``link`` or ``cpu``."""
    base_ns: float
    """Time of a packet that is not the program's, on one core."""
    program_ns: float
    """Time of the program."""
    headroom_ns: float
    """Time that each packet could still take at line rate; negative: what is too much."""
    cpu_busy_ratio: float
    """Share of each core's time at line rate, or at all that is forwarded."""
    verdicts: Mapping[str, float]
    """Share of the traffic by what becomes of it."""
    in_domain: bool

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        ends = f"{self.lower_mpps:.3g} to {self.upper_mpps:.3g}"
        rate = f"{self.predicted_mpps:.3g} [{ends}] of {self.line_rate_mpps:.4g} Mpps"
        queues = f"{self.queues} queue{'s' if self.queues > 1 else ''}"
        if self.sustains:
            text = f"yes, with {queues} ({self.sustains_line_rate:.0%} sure): {rate}"
        else:
            sure = 1 - self.sustains_line_rate
            text = f"no ({sure:.0%} sure): with {queues} {rate}, limited by {self.bottleneck}"
        verdicts = ", ".join(f"{name} {share:.0%}" for name, share in self.verdicts.items())
        need = "to spare at line rate" if self.headroom_ns >= 0 else "too much for line rate"
        return (
            f"{text}\n"
            f"  a packet takes {self.base_ns + self.program_ns:.4g} ns of a core: "
            f"{self.program_ns:.3g} in the program, {self.base_ns:.3g} around it "
            f"({abs(self.headroom_ns):.3g} ns {need})\n"
            f"  packets end in: {verdicts}; cores are {self.cpu_busy_ratio:.0%} busy"
        )


def answer_object(times: ProgramTimes, box: Box, question: ObjectQuestion) -> ObjectAnswer:
    """Predict one program on one datapath of a calibrated box.

    Raises
    ------
    BadInputError
        The box has no base costs of the datapath, or none for so many queues.
    """
    costs = base_costs(box, question.datapath)
    tried = costs.queues if question.queues is None else (_known(costs, question.queues),)
    answers = [_with_queues(times, costs, box.name, question, queues) for queues in tried]
    return next((answer for answer in answers if answer.sustains), answers[-1])


def _known(costs: BaseCosts, queues: int) -> int:
    if queues not in costs.queues:
        raise bad_input(
            "queues", queues, why="no base cost was calibrated for so many",
            allowed=", ".join(map(str, costs.queues)), do="ask for one of these",
        )  # fmt: skip
    return queues


def _with_queues(
    times: ProgramTimes, costs: BaseCosts, box: str, question: ObjectQuestion, queues: int
) -> ObjectAnswer:
    bases = [costs.of(frame.verdict, frame.frame_bytes, queues) for frame in times.frames]
    shares = np.array([frame.share for frame in times.frames])
    base_ns, base_deviation = _mean_base(bases, shares)
    loads_ns = times.scaled_ns(costs.yardstick_ns)
    program_ns = max(0.0, float(np.median(loads_ns)))
    packet_ns = base_ns + program_ns
    deviation = np.sqrt(
        base_deviation**2 + np.var(loads_ns, ddof=1) + (RESIDUAL_RATIO * packet_ns) ** 2
    )
    line = _line_rate(times, question.link_gbps)
    budget_ns = 1e3 * queues / line
    relative = deviation / packet_ns
    rates = 1e3 * queues / packet_ns * np.exp(np.array([-1, 0, 1]) * NORMAL_90 * relative)
    slack = np.log(budget_ns / SUSTAINED_RATIO / packet_ns) if budget_ns else -np.inf
    probability = float(norm.cdf(slack / relative))
    lower, rate, upper = np.minimum(rates, line)
    return ObjectAnswer(
        program=times.program, datapath=question.datapath, box=box,
        frame_bytes=times.frame_bytes, link_gbps=question.link_gbps, queues=queues,
        sustains=probability >= LIKELY, sustains_line_rate=probability,
        predicted_mpps=float(rate), lower_mpps=float(lower), upper_mpps=float(upper),
        line_rate_mpps=line, bottleneck="link" if rates[1] >= line else "cpu",
        base_ns=base_ns, program_ns=program_ns, headroom_ns=budget_ns - packet_ns,
        cpu_busy_ratio=min(1.0, packet_ns / budget_ns) if budget_ns else 1.0,
        verdicts=times.verdict_shares(),
        in_domain=all(base.in_domain for base in bases),
    )  # fmt: skip


def _mean_base(bases: list[Base], shares: NDArray[np.float64]) -> tuple[float, float]:
    values = np.array([base.value_ns for base in bases])
    deviations = np.array([base.deviation_ns for base in bases])
    return float(shares @ values), float(shares @ deviations)


def _line_rate(times: ProgramTimes, link_gbps: float) -> float:
    """Line rate of a mix: over the mean time of its frames on the wire, Mpps."""
    each = np.array([float(line_rate_mpps(link_gbps, f.frame_bytes)) for f in times.frames])
    shares = np.array([frame.share for frame in times.frames])
    return float(1.0 / (shares @ (1.0 / each))) if np.isfinite(link_gbps) else np.inf
