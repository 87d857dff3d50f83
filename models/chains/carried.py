r"""Times of chains of one machine carried over to another, by a few chains that were timed there.

.. math:: t'(n, B) = f\,t(n, B), \qquad \log f = \mathrm{median}_i \log (t_i / t_0(n_i, B_i))

with :math:`t_0` of chains of the same function whose functions send to each other, which are what
is timed: other kinds of the same function take the same factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity.transfer import SPREAD as BOX_SPREAD
from linerate.models.chains.times import LOG_SD_MAX, ChainTime


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedChain:
    """What a packet took through a chain on the other machine."""

    functions: int
    frame_bytes: int
    value_ns: float
    """Median over program loads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedTime:
    """Time of a packet as of the other machine."""

    time: ChainTime
    """Its ``log_sd`` is that of the lender with what one factor leaves of the timed chains."""
    factor: float
    """Time there over that of the lender."""

    @classmethod
    def of(cls, time: ChainTime, direct: ChainTime, timed: Sequence[TimedChain]) -> CarriedTime:
        """Carry the time of one kind of chain over.

        Parameters
        ----------
        time
            Of the kind that is asked about.
        direct
            Of the kind that was timed.
        timed
            Two chains or more.

        Raises
        ------
        BadInputError
            Too few were timed, or they took times of no machine.
        """
        if len(timed) < 2:
            raise bad_input("costs", f"{len(timed)} times of chains", why="one factor and what it "
                            "leaves need some", allowed="2 or more",
                            do="calibrate again")  # fmt: skip
        took_ns = np.array([each.value_ns for each in timed])
        lent_ns = np.array([float(direct.packet_ns(each.functions, each.frame_bytes))
                            for each in timed])  # fmt: skip
        if not np.all(lent_ns > 0.0):
            raise bad_input("costs", str(direct), why="it leaves a timed chain no time",
                            allowed="lengths and frames that were measured",
                            do="calibrate again")  # fmt: skip
        ratios = np.log(took_ns / lent_ns)
        middle = float(np.median(ratios))
        left = float(np.sqrt(np.sum((ratios - middle) ** 2) / (len(ratios) - 1)))
        factor = float(np.exp(middle))
        return cls(factor=factor, time=replace(
            time, fixed_ns=factor * time.fixed_ns, function_ns=factor * time.function_ns,
            fixed_ns_per_byte=factor * time.fixed_ns_per_byte,
            function_ns_per_byte=factor * time.function_ns_per_byte,
            log_sd=min(LOG_SD_MAX, float(np.hypot(time.log_sd, left))),
        ))  # fmt: skip


def untimed(time: ChainTime) -> ChainTime:
    """Take a time as of another machine of which nothing is known: as unsure as boxes differ."""
    return replace(time, log_sd=min(LOG_SD_MAX, float(np.hypot(time.log_sd, BOX_SPREAD))))
