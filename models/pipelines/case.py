"""One case of a pipeline: the path that costs least, that costs most, or the mean of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from linerate.models.operations import MixPredictor, Work
from linerate.models.operations.asked import note_of
from linerate.models.operations.carried import CarriedMixes
from linerate.models.operations.own import BARE, OWN_SCOPE, priced_steps
from linerate.models.operations.work import class_of
from linerate.programs.pipeline_paths import PipelinePath, Wait
from linerate.units import short

Name = Literal["best", "expected", "worst"]
CHOICES_SHOWN = 4
WAITING = "stalled"
"""Kind that an instruction counts as, too, where it waits for a write before it."""
SHARED_MIN = 0.01
"""Share of a packet's time that another core adds, from which on that counts."""
CORES_MEASURED = 2
"""Cores that took something in turn in the runs that costs are of."""
Prices = MixPredictor | CarriedMixes
"""Costs of what packets execute: as they were fitted, or carried over to another machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathCase:
    """Time of a packet in one case."""

    name: Name
    packet_ns: float
    """On one core."""
    width: float
    """Log half-width of the 90 % interval of its median."""
    load_reach: float
    """That of one more load around a median."""
    in_domain: bool
    choices: tuple[str, ...]
    """Of the path; empty of the mean."""
    operations: Mapping[str, float]
    """Times by kind; of the mean the mean."""
    sends: float
    """Share of the packets that leave, 0 to 1."""
    parts_ns: Mapping[str, float]
    """What takes the time; of the mean the means."""
    waits: tuple[tuple[Wait, int], ...] = ()
    """Of the path, with how often each is met; empty of the mean."""
    unwaited_ns: float
    """What it would take if no instruction waited for a write; of the mean the mean."""
    shared_ns: float = 0.0
    """What each other core adds to it, by what they take in turn; of the mean the mean."""
    alone: float = 1.0
    """Variance of its price, given the mean of all paths, over that without, if all paths were
    priced independently; 0 to 1."""
    priced: tuple[float, float, float] | None = None
    """Of a mean that was measured what it is priced at, and the ends of that, ns."""

    @property
    def lower_ns(self) -> float:
        """Lower end of the 90 % interval of one load's time."""
        return self.packet_ns * float(np.exp(-np.hypot(self.width, self.load_reach)))

    @property
    def upper_ns(self) -> float:
        """Upper end of it."""
        return self.packet_ns * float(np.exp(np.hypot(self.width, self.load_reach)))

    def on(self, cores: int) -> float:
        """Time of a packet where so many cores take what is shared in turn, ns."""
        return self.packet_ns + (cores - 1) * self.shared_ns

    def inside_on(self, cores: int) -> bool:
        """Whether its time on so many cores lies within what was measured."""
        alone = self.shared_ns < SHARED_MIN * self.packet_ns
        return self.in_domain and (alone or cores <= CORES_MEASURED)

    def times(self, factor: float) -> Self:
        """Take every part of its time so many times."""
        parts_ns = {name: factor * ns for name, ns in self.parts_ns.items()}
        return replace(self, packet_ns=factor * self.packet_ns, parts_ns=parts_ns,
                       unwaited_ns=factor * self.unwaited_ns,
                       shared_ns=factor * self.shared_ns)  # fmt: skip

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "case": self.name, "packet_ns": self.packet_ns, "lower_ns": self.lower_ns,
            "upper_ns": self.upper_ns, "in_domain": self.in_domain, "sends_ratio": self.sends,
            "choices": list(self.choices), "operations": dict(self.operations),
            "parts_ns": dict(self.parts_ns), "unwaited_ns": self.unwaited_ns,
            "priced_ns": self.priced, "shared_ns": self.shared_ns,
            "waits": [{**wait._asdict(), "times": times} for wait, times in self.waits],
        }  # fmt: skip

    def __str__(self) -> str:
        """Say its time, and by which choices it comes to it."""
        way = ", ".join(self.choices[:CHOICES_SHOWN])
        more = len(self.choices) - CHOICES_SHOWN
        way += f" and {more} more choices" if more > 0 else ""
        said = _said(self.packet_ns, self.lower_ns, self.upper_ns)
        if self.priced is not None:
            said += f", as run here; priced {_said(*self.priced)}"
        return said + (f" by {way}" if way else "")


def _said(packet_ns: float, lower_ns: float, upper_ns: float) -> str:
    return f"{short(packet_ns, 4)} ns ({short(lower_ns, 4)} to {short(upper_ns, 4)})"


Cases = tuple[PathCase, PathCase, PathCase]
"""Best, expected and worst."""


def cases_of(
    source: str, paths: Sequence[PipelinePath], mixes: Prices, scope: str = OWN_SCOPE
) -> tuple[Cases, str]:
    """Price paths, and return the best, the mean and the worst case, and what has no cost.

    The scope is the datapath that the paths are of.

    Errors of costs are those of all paths alike, so the interval of a mean is the mean of the
    intervals.
    """
    strange: dict[str, int] = {}
    each = []
    for path in paths:
        steps, others = priced_steps(path.operations, lambda kind: mixes.model.prices(kind, scope))
        for kind, times in others:
            strange[kind] = max(times, strange.get(kind, 0))
        work = Work(scope=scope, base=BARE, steps=steps,
                    unpriced=sum(times for _, times in others))  # fmt: skip
        each.append(_case(path, work, mixes))
    shares = np.array([path.share for path in paths])
    shares /= shares.sum()
    by_time = np.argsort([case.packet_ns for case in each], kind="stable")
    weights = (shares * np.array([case.packet_ns for case in each])) ** 2
    best, worst = (
        replace(each[place], name=name, alone=float(1.0 - weights[place] / weights.sum()))
        for name, place in (("best", by_time[0]), ("worst", by_time[-1]))
    )  # fmt: skip
    return (best, _mean(each, shares), worst), note_of(source, strange)


def _case(path: PipelinePath, work: Work, mixes: Prices) -> PathCase:
    """Price one path; where the runs cannot tell costs apart the interval says so."""
    packet_ns, width = mixes.time_of(work)
    unwaited = replace(work, steps=tuple(step for step in work.steps if step[0] != WAITING))
    return PathCase(
        name="expected", packet_ns=packet_ns, width=width, choices=path.choices,
        load_reach=mixes.load_reach,
        in_domain=mixes.model.outside(work) == 0.0 and not mixes.model.unknown(work),
        operations=dict(path.operations),
        sends=float(path.sends), parts_ns=mixes.model.parts_ns(work), waits=path.waits,
        unwaited_ns=mixes.time_of(unwaited)[0], shared_ns=mixes.model.shared_ns(work),
    )  # fmt: skip


def _mean(cases: Sequence[PathCase], shares: np.ndarray) -> PathCase:
    times = np.array([case.packet_ns for case in cases])
    weights = shares * times / float(shares @ times)
    operations = _means([case.operations for case in cases], shares)
    return PathCase(
        name="expected", packet_ns=float(shares @ times),
        width=float(weights @ np.array([case.width for case in cases])),
        in_domain=all(case.in_domain for case, share in zip(cases, shares, strict=True) if share),
        load_reach=cases[0].load_reach, choices=(),
        sends=float(shares @ np.array([case.sends for case in cases])),
        operations=operations, parts_ns=_parts_of(operations, cases, shares),
        unwaited_ns=float(shares @ np.array([case.unwaited_ns for case in cases])),
        shared_ns=float(shares @ np.array([case.shared_ns for case in cases])),
    )  # fmt: skip


def _parts_of(
    operations: Mapping[str, float], cases: Sequence[PathCase], shares: np.ndarray
) -> dict[str, float]:
    """Put the parts of several paths together by class, named by how often kinds are met."""
    by_class: dict[str, list[str]] = {}
    for kind, times in operations.items():
        by_class.setdefault(class_of(kind), []).append(f"{short(times, 2)} {kind}")
    parts = [{_class_in(name): ns for name, ns in case.parts_ns.items()} for case in cases]
    return {", ".join(by_class.get(name, [name])): ns
            for name, ns in _means(parts, shares).items()}  # fmt: skip


def _class_in(part: str) -> str:
    """Class of the kinds of a part: ``1 and, 2 xor``; what has no kinds is by itself.

    >>> _class_in("2 table_lpm"), _class_in("1 and, 2 xor"), _class_in("bare")
    ('table', 'folded_arithmetic', 'bare')
    """
    times, _, kind = part.partition(",")[0].partition(" ")
    return class_of(kind) if times.isdecimal() and kind else part


def _means(each: Sequence[Mapping[str, float]], shares: np.ndarray) -> dict[str, float]:
    names = dict.fromkeys(name for one in each for name in one)
    return {name: float(shares @ np.array([one.get(name, 0.0) for one in each])) for name in names}
