"""Base costs of a box: what a hook takes for a packet besides the program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import NDArray

from linerate.box import Box, Cost
from linerate.errors import bad_input
from linerate.models.objects.sound import check_costs
from linerate.normal import NORMAL_90
from linerate.programs.costs import (
    BEHIND_BYTES,
    TAKES_BURSTS,
    YARDSTICK,
    behind_name,
    cost_name,
    is_base,
    mixed_name,
)

QUEUES_MAX = 64
"""That can be asked about."""
POWER_ELSEWHERE = 0.44
"""Power of the number of queues by which the base of hooks of the stack grows where one queue was
calibrated: that of `data/reference-veth` (README.md); the native hook's stays."""
POWER_DEVIATION = 0.2
"""Standard deviation of such a power beyond what was calibrated: assumed."""
SLOPE_POINTS = 2
_STANDS_IN = {"aborted": ("drop", "tx"), "redirect": ("tx",), "drop": ("tx",)}
"""Verdicts that a box may not have, and those whose paths are nearest, the nearest first; one that
sends back takes no less than one that drops."""
_MIXED_AS = {"aborted": "drop", "redirect": "tx"}
"""Verdicts that are not calibrated by turns with others, and whose turns stand in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Base cost of one kind of packet."""

    value_ns: float
    deviation_ns: float
    """Standard deviation, of the calibration's interval."""
    in_domain: bool
    """Whether this verdict, size and number of queues lie within what was calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseCosts:
    """Those of one datapath."""

    datapath: str
    yardstick_ns: float
    """Nan where it was never tried: of a box whose costs were fitted on runs."""
    queues: tuple[int, ...]
    """Numbers of queues that were calibrated, ascending."""
    sizes: tuple[int, ...]
    """Frame sizes that were, B with FCS, ascending."""
    costs: Mapping[str, Cost]

    def asked(self, queues: int | None) -> tuple[int, ...]:
        """Say which numbers of queues are to be tried: the one that is asked about, else all.

        Raises
        ------
        BadInputError
            There are no such queues.
        """
        if queues is None:
            return self.queues
        if not 1 <= queues <= QUEUES_MAX:
            raise bad_input("queues", queues, why="nothing is known of so many",
                            allowed=f"1..{QUEUES_MAX}", do="ask for fewer")  # fmt: skip
        return (queues,)

    def mixed_ns(self, shares: Mapping[str, float]) -> float:
        """Time that packets take more because those before and behind get other verdicts.

        Parameters
        ----------
        shares
            Of each verdict, 0 to 1.

        Returns
        -------
        What two verdicts, half each, take more, times the chance that of two packets one gets each,
        over that of halves; ns a packet, 0 where none was calibrated.
        """
        near: defaultdict[str, float] = defaultdict(float)
        for verdict, share in shares.items():
            near[_MIXED_AS.get(verdict, verdict)] += share
        known = (
            (near[one] * near[other], self.costs.get(mixed_name(self.datapath, one, other)))
            for one, other in combinations(sorted(near), 2)
        )
        return sum(4.0 * both * cost.value_ns for both, cost in known if cost is not None)

    def behind(self, kind: str, frame_bytes: float) -> Cost | None:
        """Say what a packet takes more of which something goes on behind the hook.

        Parameters
        ----------
        kind
            What goes on with it (``linerate.programs.costs.STACK``, ``TO_CPU``).
        frame_bytes
            With FCS; between calibrated sizes it is linear, beyond them as at the next.

        Returns
        -------
        ns; None where it was not calibrated.
        """
        names = [behind_name(self.datapath, kind, size) for size in BEHIND_BYTES]
        if not self.costs.keys() >= set(names):
            return None
        ends = np.array([
            (cost.value_ns, cost.lower_ns, cost.upper_ns) for cost in map(self.costs.get, names)
            if cost is not None
        ])  # fmt: skip
        value, lower, upper = (float(np.interp(frame_bytes, BEHIND_BYTES, each)) for each in ends.T)
        return Cost(value_ns=value, lower_ns=lower, upper_ns=upper)

    def of(self, verdict: str, frame_bytes: int, queues: int) -> Base:
        """Interpolate between frame sizes, and between numbers of queues, or go on beyond them.

        Beyond the most queues that were calibrated the base goes on to grow by the same power of
        their number; the deviation grows with it, and with each doubling.

        Raises
        ------
        BadInputError
            Packets of this verdict were not calibrated with each size and number of queues.
        """
        if queues not in self.queues:
            return self._scaled(verdict, frame_bytes, queues)
        nearest = next(
            (one for one in (verdict, *_STANDS_IN.get(verdict, ()))
             if cost_name(self.datapath, one, self.sizes[0], queues) in self.costs), verdict,
        )  # fmt: skip
        names = [cost_name(self.datapath, nearest, size, queues) for size in self.sizes]
        missing = [name for name in names if name not in self.costs]
        if missing:
            raise bad_input(
                "verdict", verdict, why=f"the box has no cost {missing[0]}",
                allowed="a box with base costs of each verdict, frame size and number of queues",
                do="sudo linerate calibrate --out BOX.toml",
            )  # fmt: skip
        named = [self.costs[name] for name in names]
        value = np.interp(frame_bytes, self.sizes, [cost.value_ns for cost in named])
        width = np.interp(frame_bytes, self.sizes, [c.upper_ns - c.lower_ns for c in named])
        return Base(
            value_ns=float(value), deviation_ns=float(width) / 2 / NORMAL_90,
            in_domain=nearest == verdict and self.sizes[0] <= frame_bytes <= self.sizes[-1],
        )  # fmt: skip

    def _scaled(self, verdict: str, frame_bytes: int, queues: int) -> Base:
        """Take the base of a number of queues that was not calibrated."""
        known = [self.of(verdict, frame_bytes, each) for each in self.queues]
        logs, values = np.log(self.queues), np.log([base.value_ns for base in known])
        most, last = self.queues[-1], known[-1]
        within = all(base.in_domain for base in known)
        if queues < most:
            value_ns = float(np.exp(np.interp(np.log(queues), logs, values)))
            widest = max(base.deviation_ns for base in known)
            return Base(value_ns=value_ns, deviation_ns=widest, in_domain=within)
        power = _power(self.datapath, logs, values)
        doublings = float(np.log2(queues / most))
        value_ns = last.value_ns * 2.0 ** (power * doublings)
        unsure = POWER_DEVIATION * doublings * np.log(2.0) * value_ns
        return Base(value_ns=value_ns, deviation_ns=float(np.hypot(last.deviation_ns, unsure)),
                    in_domain=False)  # fmt: skip


def _power(datapath: str, log_queues: NDArray[np.float64], log_ns: NDArray[np.float64]) -> float:
    """Say by what power of the number of queues a base grows: from the last two calibrated."""
    if log_queues.size < SLOPE_POINTS:
        return 0.0 if datapath in TAKES_BURSTS else POWER_ELSEWHERE
    return max(0.0, float(np.diff(log_ns[-2:])[0] / np.diff(log_queues[-2:])[0]))


def base_costs(box: Box, datapath: str) -> BaseCosts:
    """Read a box's costs of one datapath.

    Raises
    ------
    BadInputError
        The box was not calibrated, or not on this datapath, or holds costs that cannot be.
    """
    check_costs(box)
    parts = [name.split(".") for name in box.costs if is_base(name)]
    keys = [part for part in parts if part[0] == datapath]
    if not keys:
        known = sorted({part[0] for part in parts})
        raise bad_input(
            "datapath", datapath, why=f"the box {box.name} has no base costs of it",
            allowed=", ".join(known) or "none: this box was never calibrated",
            do="sudo linerate calibrate --out BOX.toml",
        )  # fmt: skip
    return BaseCosts(
        datapath=datapath, costs=box.costs,
        yardstick_ns=box.costs[YARDSTICK].value_ns if YARDSTICK in box.costs else nan,
        queues=tuple(sorted({int(key[3]) for key in keys})),
        sizes=tuple(sorted({int(key[2]) for key in keys})),
    )  # fmt: skip
