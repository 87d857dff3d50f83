"""Time of a packet on one core: what a hook takes for it, and what the program does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, isfinite

import numpy as np
from numpy.typing import NDArray

from linerate.errors import bad_input
from linerate.models.objects.base import Base, BaseCosts
from linerate.models.objects.cold_caches import cold_caches_ns
from linerate.models.objects.cpumap import waiting_ns
from linerate.models.objects.learnt import CARRIED_LOG, RUN_RATIO, Learnt, RunThere, learn
from linerate.models.objects.path_latency import PathLatency, path_latency_of
from linerate.models.objects.sharing import shared_ns
from linerate.models.objects.sound import COST_NS_MIN
from linerate.normal import NORMAL_90
from linerate.programs.costs import behind_verdict
from linerate.programs.times import FrameTimes, ProgramTimes

RESIDUAL_RATIO = 0.12
"""Standard deviation of what base cost and test run leave open, as a share of a packet's time:
mostly that the speed of a shared host changes between calibration and run
(docs/models/objects/host-speed.md)."""
OTHER_MACHINE_RATIO = 0.24
"""The same where the box is another machine: the two that we measured differ by 16 % (native) and
7 % (generic) in the base of sending back, which as two degrees of freedom of Student's t is a
deviation of 21 % beside the one above."""
OTHER_CPU_RATIO = 0.8
"""The same where it has another kind of CPU, in the logarithm: on a Xeon and an EPYC VM with
retpolines to drop takes 49 and 176 ns, to send back 70 and 207, generic 226 and 628."""
UNTOLD_NS = {"xdp_native": 5.0}
"""The same in ns where the hook was tried a moment ago, beside how unsteady the host was then: what
program and hook do to each other (docs/models/objects/host-speed.md)."""
UNTOLD_ELSEWHERE_NS = 10.0
"""That of hooks of the network stack, which takes packets one at a time."""
COUNTED_NS = 1.0
"""What a time that was counted may be off by besides its share: programs of ten instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a box and of how it was asked, besides its costs."""

    other_machine: bool = False
    """Whether the costs are another machine's than the one that is asked about."""
    now_deviation: float | None = None
    """How unsteady the host was while the hook was tried again, a share of a packet's time; None
    or nan where that is not known."""
    carried: bool = False
    """Whether the box has another kind of CPU than the machine on which the program was timed, or
    is to run where costs are another machine's."""
    runs: tuple[RunThere, ...] = ()
    """Runs of the program on the box."""
    behind: tuple[tuple[str, float], ...] = ()
    """What the stack does with packets that pass, and with what share of them."""


UNKNOWN = Known()


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What one packet takes of a core, on average over the traffic."""

    base_ns: float
    program_ns: float
    """Median over the loads of the program, while as many cores run it as there are queues."""
    alone_ns: float
    """The same while no other core runs it."""
    lower_program_ns: float
    upper_program_ns: float
    """Ends of the 90 % interval of one more load."""
    deviation_ns: float
    """Standard deviation of the whole time of a packet."""
    scv: float
    """Squared coefficient of variation over the packets of the traffic: 0 where all take as
    long."""
    in_domain: bool
    """Whether the calibration covers its verdicts, sizes and queues."""
    waiting_ns: float = 0.0
    """Of the base: what other cores take longer that packets are handed to."""
    path_latency: PathLatency | None = None
    """What else a packet meets; None where latency was not calibrated."""

    @property
    def packet_ns(self) -> float:
        """Time of a packet."""
        return self.base_ns + self.program_ns

    @property
    def relative_deviation(self) -> float:
        """Standard deviation of a packet's time, as a share of it."""
        return self.deviation_ns / self.packet_ns


def residual_ns(packet_ns: float, datapath: str, known: Known = UNKNOWN) -> float:
    """Say what base cost and test run leave open: standard deviation of a packet's time, ns.

    >>> residual_ns(200.0, "xdp_native")
    24.0
    >>> residual_ns(200.0, "xdp_native", Known(now_deviation=0.06))
    13.0
    """
    if known.other_machine:
        return (OTHER_CPU_RATIO if known.carried else OTHER_MACHINE_RATIO) * packet_ns
    if known.now_deviation is None or not isfinite(known.now_deviation):
        return RESIDUAL_RATIO * packet_ns
    return hypot(UNTOLD_NS.get(datapath, UNTOLD_ELSEWHERE_NS), known.now_deviation * packet_ns)


def mpps(packet_ns: float, queues: int, line_mpps: float) -> float:
    """Rate of so many queues where a packet takes so long, at most line rate.

    >>> mpps(500.0, 2, 14.88), mpps(10.0, 2, 14.88)
    (4.0, 14.88)
    """
    return min(1e3 * queues / packet_ns, line_mpps)


def service_of(
    times: ProgramTimes, costs: BaseCosts, queues: int, known: Known = UNKNOWN
) -> Service:
    """Add up what a packet takes, with so many queues, as runs on the box correct it.

    Raises
    ------
    BadInputError
        The box's costs leave no time for it.
    """
    predicted = _predicted(times, costs, queues, known)
    if not known.runs:
        return predicted
    learnt = _learn(times, costs, predicted, known)
    base_ns = max(COST_NS_MIN, predicted.base_ns * (1.0 + learnt.base_ratio))
    program_ns = max(0.0, predicted.program_ns + learnt.program_ns)
    more_ns = program_ns - predicted.program_ns
    return replace(
        predicted, base_ns=base_ns, program_ns=program_ns,
        alone_ns=max(0.0, predicted.alone_ns + more_ns),
        lower_program_ns=max(0.0, predicted.lower_program_ns + more_ns),
        upper_program_ns=predicted.upper_program_ns + more_ns,
        deviation_ns=hypot(learnt.deviation_ns(predicted.base_ns), _spread_ns(predicted),
                           RUN_RATIO * (base_ns + program_ns)),
    )  # fmt: skip


def _learn(times: ProgramTimes, costs: BaseCosts, predicted: Service, known: Known) -> Learnt:
    """Hold runs against what is predicted for their frame sizes and queues without them."""
    seen = []
    for run in known.runs:
        frames = tuple(replace(frame, frame_bytes=round(run.frame_bytes * frame.frame_bytes
                                                        / times.frame_bytes))
                       for frame in times.frames)  # fmt: skip
        there = _predicted(replace(times, frames=frames), costs, run.queues, known)
        seen.append((run.packet_ns - there.packet_ns, there.base_ns, RUN_RATIO * run.packet_ns))
    carried_ns = CARRIED_LOG * predicted.program_ns if known.carried else 0.0
    left_ns2 = predicted.deviation_ns**2 - carried_ns**2 - _spread_ns(predicted) ** 2
    left_ns = max(0.0, left_ns2) ** 0.5
    return learn(carried_ns, left_ns / predicted.base_ns, seen)


def _spread_ns(predicted: Service) -> float:
    """Take the standard deviation of one more load of the program from the middle of some."""
    return (predicted.upper_program_ns - predicted.lower_program_ns) / 2 / NORMAL_90


def _predicted(times: ProgramTimes, costs: BaseCosts, queues: int, known: Known) -> Service:
    """Add up what a packet takes by test runs and the box alone."""
    bases = [costs.of(frame.verdict, frame.frame_bytes, queues) for frame in times.frames]
    shares = np.array([frame.share for frame in times.frames])
    apart_ns, base_deviation = _mean_base(bases, shares)
    stack = [_behind(frame, costs, known) for frame in times.frames]
    stack_ns, stack_deviation = _mean_base(stack, shares)
    alone_ns = max(0.0, float(np.median(times.scaled_ns(costs.yardstick_ns))))
    colder_ns, colder_deviation = cold_caches_ns(times, alone_ns, costs.datapath)
    base_ns = apart_ns + stack_ns + costs.mixed_ns(times.verdict_shares()) + colder_ns
    loads_ns = shared_ns(times, costs, base_ns, queues)
    program_ns = max(0.0, float(np.median(loads_ns)))
    more_ns, more_deviation = waiting_ns(
        times, costs, dict(known.behind), queues, base_ns + program_ns
    )
    base_ns += more_ns
    packet_ns = base_ns + program_ns
    if base_ns < COST_NS_MIN:  # what a mix of verdicts takes less is more than what each takes
        raise bad_input(
            "box", f"{base_ns:.3g} ns", why=f"its costs of {costs.datapath} leave a packet no time",
            allowed="costs as linerate calibrate writes them", do="calibrate the machine anew",
        )  # fmt: skip
    spread_ns, lower_ns, upper_ns = _spread(times, loads_ns, program_ns)
    carried_ns = CARRIED_LOG * program_ns if known.carried else 0.0
    left_ns = residual_ns(packet_ns, costs.datapath, known)
    return Service(
        base_ns=base_ns, program_ns=program_ns, alone_ns=alone_ns,
        lower_program_ns=max(0.0, lower_ns),
        upper_program_ns=upper_ns,
        deviation_ns=hypot(base_deviation, stack_deviation, colder_deviation, more_deviation,
                           spread_ns, carried_ns, left_ns),
        waiting_ns=more_ns,
        scv=_scv(times, np.array([a.value_ns + b.value_ns for a, b in zip(bases, stack,
                                                                        strict=True)]), shares),
        in_domain=all(base.in_domain for base in (*bases, *stack)),
        path_latency=path_latency_of(costs.costs, costs.datapath),
    )  # fmt: skip


def _behind(frame: FrameTimes, costs: BaseCosts, known: Known) -> Base:
    """Take what a frame takes more behind the hook; 0 where nothing is known to go on with it."""
    shares = {kind: share for kind, share in known.behind if behind_verdict(kind) == frame.verdict}
    found = {kind: costs.behind(kind, frame.frame_bytes) for kind in shares}
    priced = [(shares[kind], cost) for kind, cost in found.items() if cost is not None]
    return Base(
        value_ns=sum(share * cost.value_ns for share, cost in priced),
        deviation_ns=sum(share * (cost.upper_ns - cost.lower_ns) for share, cost in priced)
        / 2 / NORMAL_90,
        in_domain=len(priced) == len(shares),
    )  # fmt: skip


def _spread(
    times: ProgramTimes, loads_ns: NDArray[np.float64], program_ns: float
) -> tuple[float, float, float]:
    """Take the standard deviation of the program's time, and the ends of its 90 % interval."""
    if times.log_deviation:
        factor = float(np.exp(NORMAL_90 * times.log_deviation))
        lower_ns, upper_ns = program_ns / factor - COUNTED_NS, program_ns * factor + COUNTED_NS
        return (upper_ns - lower_ns) / 2 / NORMAL_90, lower_ns, upper_ns
    from scipy.special import stdtrit  # slow to load

    spread_ns = float(np.std(loads_ns, ddof=1))
    reach_ns = float(stdtrit(len(loads_ns) - 1, 0.95)) * spread_ns * (1 + 1 / len(loads_ns)) ** 0.5
    return spread_ns, program_ns - reach_ns, program_ns + reach_ns


def _mean_base(bases: list[Base], shares: NDArray[np.float64]) -> tuple[float, float]:
    values = np.array([base.value_ns for base in bases])
    deviations = np.array([base.deviation_ns for base in bases])
    return float(shares @ values), float(shares @ deviations)


def _scv(times: ProgramTimes, base_ns: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Of the frames among each other; one that was not timed by itself takes the mean."""
    alone_ns = np.array([frame.program_ns for frame in times.frames])
    timed = np.isfinite(alone_ns)
    if not timed.any():
        return 0.0
    mean_ns = np.average(alone_ns[timed], weights=shares[timed])
    each_ns = base_ns + np.maximum(np.where(timed, alone_ns, mean_ns), 0.0)
    middle_ns = np.average(each_ns, weights=shares)
    return float(np.average((each_ns - middle_ns) ** 2, weights=shares) / middle_ns**2)
