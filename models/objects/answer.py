r"""Whether a user's program sustains line rate.

A packet takes the base cost of its verdict and size, and the time of the program beyond a program
that does nothing:

.. math:: r = q / \Bigl(\sum_f s_f\, b(v_f, l_f, q) + p\Bigr)

with shares :math:`s_f` of the frames, :math:`q` queues, base costs :math:`b` and program time
:math:`p`. The base grows with queues as calibrated, and the program where its cores write to the
same entries of maps (:mod:`linerate.models.objects.sharing`).
"""

from __future__ import annotations

from dataclasses import replace
from math import erfc

import numpy as np

from linerate.box import Box
from linerate.line_rate import LIKELY, SUSTAINED_RATIO
from linerate.models.objects.base import QUEUES_MAX, base_costs
from linerate.models.objects.headroom import spare_operations
from linerate.models.objects.limiter import Server
from linerate.models.objects.object_answer import ObjectAnswer, ObjectQuestion
from linerate.models.objects.service import Known, Service, mpps
from linerate.models.objects.under_load import (
    CAPACITY_RATIOS,
    LoadAnswer,
    at_capacity_ratio,
    at_load,
)
from linerate.models.objects.verdict_paths import verdict_paths
from linerate.normal import NORMAL_90
from linerate.programs.costs import SOCKETS
from linerate.programs.times import ProgramTimes
from linerate.units import wire_bytes

END_RATIO_MAX = 100.0
"""Of the ends of a packet's time over its middle, for latencies; a stall makes them any number."""


def answer_object(times: ProgramTimes, box: Box, question: ObjectQuestion) -> ObjectAnswer:
    """Predict one program on one datapath of a calibrated box.

    Raises
    ------
    BadInputError
        The box has no base costs of the datapath, or no such queues are asked about.
    """
    costs = base_costs(box, question.datapath)
    line_mpps = _line_rate(times, question.link_gbps)
    known = Known(other_machine=question.other_machine, now_deviation=question.now_deviation,
                  carried=question.carried, runs=question.runs,
                  behind=question.behind)  # fmt: skip
    found = [
        Server(times=times, costs=costs, queues=queues, known=known)
        for queues in costs.asked(question.queues)
    ]
    server = next((each for each in found if _chance(each, line_mpps) >= LIKELY), found[-1])
    queues, (ending, service) = server.queues, server.settled(line_mpps)
    probability = _probability(queues, service, line_mpps)
    needed = queues if probability >= LIKELY else None
    if needed is None and question.queues is None:
        more = range(costs.queues[-1] + 1, QUEUES_MAX + 1)
        servers = (replace(server, queues=each) for each in more)
        needed = next((each.queues for each in servers if _chance(each, line_mpps) >= LIKELY), None)
    budget_ns = 1e3 * queues / line_mpps
    lower, rate, upper = (
        _rate(queues, service, line_mpps, deviations) for deviations in (-NORMAL_90, 0, NORMAL_90)
    )
    return ObjectAnswer(
        program=times.program, datapath=question.datapath, box=box.name,
        frame_bytes=times.frame_bytes, link_gbps=question.link_gbps, queues=queues,
        queues_needed=needed,
        sustains=probability >= LIKELY, sustains_line_rate=probability,
        predicted_mpps=rate, lower_mpps=lower, upper_mpps=upper, line_rate_mpps=line_mpps,
        predicted_gbps=rate * _wire_bits(times) * 1e-3,
        bottleneck="link" if rate >= line_mpps else "cpu",
        base_ns=service.base_ns, program_ns=service.program_ns,
        alone_ns=service.alone_ns, lower_program_ns=service.lower_program_ns,
        upper_program_ns=service.upper_program_ns,
        headroom_ns=budget_ns - service.packet_ns,
        room=() if question.datapath == SOCKETS  # operations were calibrated in the kernel
        else spare_operations(budget_ns - service.packet_ns, box.costs),
        cpu_busy_ratio=min(1.0, service.packet_ns / budget_ns) if budget_ns else 1.0,
        loads=_loads(server, service, rate, line_mpps, question.offered_mpps),
        paths=verdict_paths(ending, costs.yardstick_ns), in_domain=service.in_domain,
        behind=question.behind, waiting_ns=service.waiting_ns,
    )  # fmt: skip


def _chance(server: Server, line_mpps: float) -> float:
    """Chance that line rate is sustained with so many queues."""
    _, service = server.settled(line_mpps)
    return _probability(server.queues, service, line_mpps)


def _probability(queues: int, service: Service, line_mpps: float) -> float:
    """Chance that line rate is sustained, of a log-normal time of a packet."""
    budget_ns = 1e3 * queues / line_mpps
    slack = np.log(budget_ns / SUSTAINED_RATIO / service.packet_ns) if budget_ns else -np.inf
    return float(erfc(-slack / service.relative_deviation / 2**0.5) / 2)


def _rate(queues: int, service: Service, line_mpps: float, deviations: float) -> float:
    packet_ns = service.packet_ns * float(np.exp(-deviations * service.relative_deviation))
    return mpps(packet_ns, queues, line_mpps)


def _loads(
    server: Server,
    service: Service,
    capacity_mpps: float,
    line_mpps: float,
    offered_mpps: float | None,
) -> tuple[LoadAnswer, ...]:
    """Answer for shares of the capacity, for line rate, and for the load that is offered.

    ``service`` is that at the capacity; a program that limits a rate has another one below.
    """
    queues = server.queues
    widest = np.clip(np.exp(NORMAL_90 * service.relative_deviation), 1.0, END_RATIO_MAX)
    ends = (float(1.0 / widest), float(widest))
    named = []
    if offered_mpps is not None and offered_mpps < line_mpps:
        named.append((f"{offered_mpps:.4g} Mpps", offered_mpps))
    named += [("line rate", line_mpps)] if np.isfinite(line_mpps) else []
    return (
        *(at_load(server.at(min(load, capacity_mpps))[1], ends, queues, load, name)
          for name, load in named),
        *(at_capacity_ratio(server.at(ratio * capacity_mpps)[1], ends, queues, capacity_mpps, ratio)
          for ratio in CAPACITY_RATIOS),
    )  # fmt: skip


def _line_rate(times: ProgramTimes, link_gbps: float) -> float:
    """Line rate of a mix: over the mean time of its frames on the wire, Mpps."""
    return 1e3 * link_gbps / _wire_bits(times)


def _wire_bits(times: ProgramTimes) -> float:
    """Take the mean of what a frame of a mix takes on the wire, bits."""
    return 8.0 * sum(frame.share * float(wire_bytes(frame.frame_bytes)) for frame in times.frames)
