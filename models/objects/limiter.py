r"""Where packets end of a program that limits a verdict's rate, and how many packets that leaves.

A limiter's verdicts depend on the rate, and the rate on the base costs of the verdicts: the rate
:math:`r` of a machine in overload is that at which both agree,

.. math:: r = q / \Bigl(\sum_v s_v(r)\, b_v + p\Bigr), \qquad s_v(r) = \min(s_v,\; a_v / r)

with :math:`s_v` the share of test runs that end in a verdict, and :math:`a_v` the rate of a limited
one in a flood of the lab; what is beyond ends elsewhere, as it did in the flood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from linerate.models.crossing import crossing
from linerate.models.objects.base import BaseCosts
from linerate.models.objects.service import Known, Service, service_of
from linerate.programs.times import ProgramTimes

FALLEN = 0.03
"""Share of all packets that a verdict must have lost in a flood to be limited; less is chance."""
ALIKE = 0.05
"""Share by which two floods of one limit may differ."""
_MPPS_MAX = 1e4
"""Where no line limits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program lets through of the verdicts that it limits."""

    most_mpps: Mapping[str, float]
    """By verdict."""
    beyond: Mapping[str, float]
    """Share of the packets beyond, by the verdict that they get; adds up to 1."""
    seen_mpps: float
    """Rate of all packets at which this was seen."""


def limits_of(times: ProgramTimes, queues: int) -> Limits | None:
    """Take the limits that a flood on so many queues, or the next fewer, shows.

    Returns
    -------
    None where packets ended as in test runs, or where there was no flood.
    """
    tried = [flood for flood in times.floods if flood.queues <= queues and flood.mpps]
    if not tried:
        return None
    flood, slow = tried[-1], times.verdict_shares()
    rates = dict(flood.rates_mpps)
    lost = {verdict: share - rates[verdict] / flood.mpps for verdict, share in slow.items()}
    fallen = [verdict for verdict, share in lost.items() if share > FALLEN]
    won = {
        verdict: rate / flood.mpps - slow.get(verdict, 0.0) for verdict, rate in rates.items()
        if rate > slow.get(verdict, 0.0) * flood.mpps
    }  # fmt: skip
    if not fallen or not won:
        return None
    return Limits(
        most_mpps={verdict: rates[verdict] for verdict in fallen},
        beyond={verdict: share / sum(won.values()) for verdict, share in won.items()},
        seen_mpps=flood.mpps,
    )


def are_alike(first: Limits | None, second: Limits | None) -> bool:
    """Whether two floods show the same limits, or none.

    >>> one, other = (Limits(most_mpps={"tx": rate}, beyond={"drop": 1.0}, seen_mpps=5.0)
    ...               for rate in (1.0, 1.02))
    >>> are_alike(one, other), are_alike(one, None), are_alike(None, None)
    (True, False, True)
    """
    if first is None or second is None:
        return first is second
    same_verdicts = first.most_mpps.keys() == second.most_mpps.keys()
    return same_verdicts and all(
        abs(mpps - second.most_mpps[verdict]) <= ALIKE * mpps
        for verdict, mpps in first.most_mpps.items()
    )


def at_rate(times: ProgramTimes, limits: Limits, mpps: float) -> ProgramTimes:
    """Say how packets end at a rate of all of them.

    >>> from linerate.programs.times import FrameTimes
    >>> frame = FrameTimes(frame_bytes=64, share=1.0, verdict="tx", program_ns=20.0)
    >>> times = ProgramTimes(program="p", program_ns=(20.0,), yardstick_ns=(50.0,), frames=(frame,))
    >>> limits = Limits(most_mpps={"tx": 1.0}, beyond={"drop": 1.0}, seen_mpps=5.0)
    >>> at_rate(times, limits, 4.0).verdict_shares(), at_rate(times, limits, 0.5).verdict_shares()
    ({'drop': 0.75, 'tx': 0.25}, {'tx': 1.0})
    """
    shares = times.verdict_shares()
    kept = {
        verdict: min(1.0, most / (shares[verdict] * mpps))
        for verdict, most in limits.most_mpps.items()
    }  # fmt: skip
    frames = [
        replace(frame, share=frame.share * part, verdict=verdict)
        for frame in times.frames
        for verdict, part in _ends(frame.verdict, kept.get(frame.verdict, 1.0), limits)
        if part
    ]  # fmt: skip
    return replace(times, frames=tuple(frames))


def _ends(verdict: str, kept: float, limits: Limits) -> list[tuple[str, float]]:
    """Part packets of one verdict by where they end, if such a share of them keeps it."""
    return [(verdict, kept), *((other, (1.0 - kept) * part)
                               for other, part in limits.beyond.items())]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A program on so many queues of a box, at any rate of packets."""

    times: ProgramTimes
    costs: BaseCosts
    queues: int
    known: Known

    def at(self, mpps: float) -> tuple[ProgramTimes, Service]:
        """Say how packets end at a rate of all of them, and what one takes of a core."""
        limits = limits_of(self.times, self.queues)
        ending = self.times if limits is None else at_rate(self.times, limits, mpps)
        return ending, service_of(ending, self.costs, self.queues, self.known)

    def settled(self, line_mpps: float) -> tuple[ProgramTimes, Service]:
        """Say the same where as many come as are served, at most line rate, Mpps."""
        most_mpps = min(line_mpps, _MPPS_MAX)
        if limits_of(self.times, self.queues) is not None and self._spare_ns(most_mpps) < 0.0:
            return self.at(crossing(self._spare_ns, 0.0, most_mpps))
        return self.at(most_mpps)

    def _spare_ns(self, mpps: float) -> float:
        """Time that the cores have left of 1 us at such a rate."""
        return 1e3 * self.queues - (mpps * self.at(mpps)[1].packet_ns if mpps else 0.0)
