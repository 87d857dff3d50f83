"""Whether a program got slower: two objects whose test runs took turns on the same traffic."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linerate.box import Box
from linerate.models.objects.base import base_costs
from linerate.models.objects.object_answer import ObjectAnswer
from linerate.models.objects.service import mpps, service_of
from linerate.programs.times import ProgramTimes

CONFIDENCE = 0.99
"""Of the interval of a difference, at least: of 200 comparisons of a program with itself one at
most is expected to be called slower."""
PAIRS = 12
"""Loads of each program: of so many differences the interval leaves out one at either end."""
Change = Literal["slower", "faster", "no difference seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One traffic on two objects."""

    against: str
    """The older one."""
    frame_bytes: float
    """Mean size, with FCS."""
    old_ns: float
    """Time of the older program."""
    difference_ns: float
    """Of the newer one over the older, median over the pairs of loads; positive is slower."""
    lower_ns: float
    upper_ns: float
    """Ends of the 99 % interval."""
    pairs: int
    """Loads of each."""
    old_mpps: float
    """What the older one sustains with as many queues as the newer."""
    difference_mpps: float
    lower_mpps: float
    upper_mpps: float
    """Ends of the 99 % interval, of the programs' time alone."""
    other_verdicts: bool
    """Whether some packet ends elsewhere than with the older one."""

    @property
    def change(self) -> Change:
        """What the interval shows."""
        if self.lower_ns > 0.0:
            return "slower"
        return "faster" if self.upper_ns < 0.0 else "no difference seen"

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "change": self.change}

    def __str__(self) -> str:
        share = f" ({self.difference_ns / self.old_ns:+.1%})" if self.old_ns > 0.0 else ""
        text = (
            f"{self.change}: {self.difference_ns:+.3g} ns [{self.lower_ns:+.3g} to "
            f"{self.upper_ns:+.3g}, 99 %]{share} on {self.old_ns:.3g} ns, "
            f"{self.difference_mpps:+.3g} Mpps [{self.lower_mpps:+.3g} to {self.upper_mpps:+.3g}] "
            f"on {self.old_mpps:.3g}"
        )
        return f"{text}; packets end elsewhere" if self.other_verdicts else text


def compare(
    new: ProgramTimes, old: ProgramTimes, answer: ObjectAnswer, box: Box, against: str
) -> Comparison:
    """Compare two programs that took turns.

    Parameters
    ----------
    new, old
        Times of as many loads.
    answer
        What the newer one sustains; the rates of both are those with its queues and link.
    box
        The calibrated box that it rests on.
    against
        What the older one is called.
    """
    differences = np.subtract(new.program_ns, old.program_ns)
    middle, (lower, upper) = float(np.median(differences)), _ends_ns(differences)
    old_ns = float(np.median(old.program_ns))
    costs = base_costs(box, answer.datapath)
    base_ns = service_of(old, costs, answer.queues).base_ns
    old_mpps = mpps(base_ns + old_ns, answer.queues, answer.line_rate_mpps)
    rates = [
        mpps(answer.base_ns + max(old_ns + more, 0.0), answer.queues, answer.line_rate_mpps)
        - old_mpps
        for more in (middle, upper, lower)
    ]
    return Comparison(
        against=against, frame_bytes=answer.frame_bytes, old_ns=old_ns,
        difference_ns=middle, lower_ns=lower, upper_ns=upper, pairs=len(differences),
        old_mpps=old_mpps, difference_mpps=rates[0], lower_mpps=rates[1], upper_mpps=rates[2],
        other_verdicts=[frame.verdict for frame in new.frames]
        != [frame.verdict for frame in old.frames],
    )  # fmt: skip


def _ends_ns(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Interval of the median without any law: so many of the smallest and largest are left out.

    References
    ----------
    David and Nagaraja, Order Statistics, 3rd ed. (2003), sec. 7.1.
    """
    count, ordered = len(differences), np.sort(differences)
    from scipy.special import bdtr  # slow to load

    smaller = bdtr(np.arange(count + 1), count, 0.5)
    left_out = max(int(np.searchsorted(smaller, (1.0 - CONFIDENCE) / 2.0)) - 1, 0)
    return float(ordered[left_out]), float(ordered[count - 1 - left_out])
