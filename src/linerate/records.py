"""What ``measure`` writes and ``models`` reads. Neither imports the other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from linerate.cells import Cell

VerdictState = Literal["valid", "suspect", "invalid"]
Purpose = Literal["run", "search", "curve"]
"""What a trial was taken for: a planned cell, a step of a search, or a load that one led to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Histogram of one-way latencies, generator's stamp to sink, in log-linear buckets."""

    lower_ns: tuple[int, ...]
    """Lower bound of each bucket that holds packets, ascending."""
    counts: tuple[int, ...]
    """Packets in each of these buckets."""
    sum_ns: int
    """Sum over all packets, for an exact mean."""
    max_ns: int
    """Largest latency seen."""
    taken: Literal["software", "hardware"] = "software"
    """Whether a clock was read, or a card stamped the packets."""

    def __post_init__(self) -> None:
        if len(self.lower_ns) != len(self.counts):
            raise ValueError(
                f"lower_ns and counts must pair up, got {len(self.lower_ns)} and {len(self.counts)}"
            )

    @property
    def packets(self) -> int:
        """Packets in the histogram."""
        return sum(self.counts)

    @property
    def mean_us(self) -> float:
        """Mean latency; nan without packets."""
        return self.sum_ns / self.packets / 1e3 if self.packets else math.nan

    def quantile_us(self, share: float) -> float:
        """Latency that ``share`` of the packets do not exceed (bucket's lower bound), us.

        >>> seen = Latency(lower_ns=(1000, 2000), counts=(9, 1), sum_ns=11000, max_ns=2000)
        >>> seen.quantile_us(0.9)
        1.0
        """
        if not self.packets:
            return math.nan
        cumulated = np.cumsum(self.counts)
        return self.lower_ns[int(np.searchsorted(cumulated, share * cumulated[-1]))] / 1e3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Echo requests sent through the device while a trial ran, by the system's own ``ping``."""

    sent: int
    """Requests sent."""
    received: int
    """Requests answered; duplicates count once."""
    rtt: Latency
    """Round-trip times of the answered ones."""

    def __post_init__(self) -> None:
        if not 0 <= self.received <= self.sent:
            raise ValueError(f"got {self.received} answers to {self.sent} requests")

    @property
    def loss_ratio(self) -> float:
        """Share of requests without an answer, 0 to 1."""
        return (self.sent - self.received) / self.sent if self.sent else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPlace:
    """Where a thread of the device ran."""

    cpu: int
    siblings: tuple[int, ...] = ()
    """Other hardware threads of the same core; empty where there are none, or none is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Counts of one timed run of one load; every rate is derived from them.

    >>> trial = Trial(duration_s=2.0, intended_packets=100, sent_packets=98, forwarded_packets=90)
    >>> trial.loss_ratio, trial.forwarded_mpps
    (0.1, 4.5e-05)
    """

    duration_s: float
    """Time the generator was sending."""
    intended_packets: int
    """Packets the generator was asked to send; when flooding, what it tried to send."""
    sent_packets: int
    """Packets that left the generator, those dropped at the device's full ring included."""
    forwarded_packets: int
    """Packets that came back to the sink."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Packets lost by place: ``dut_ring``, ``dut_program``, ``dut_tx``, ``sink_ring``."""
    ends: Mapping[str, int] = field(default_factory=dict)
    """Packets by the verdict of the user's own program (`linerate.programs.times.VERDICTS`); empty
    where it was not counted."""
    latency: Latency | None = None
    """One-way latencies; None where the load was not stamped."""
    forwarded_from: str = "sink"
    """What counted them: ``sink``, or ``dut_xdp_drops`` for a program that drops all."""
    cpu_busy_ratios: tuple[float, ...] = ()
    """Busy share of each queue's core: in serial mode all but the generator's waiting for the
    next packet to be due, in split mode the device's NAPI thread (schedstat)."""
    contended_ratio: float = 0.0
    """Largest share of time that a thread of the lab was ready while another held its core."""
    program_ns: float | None = None
    """Time of one pass of the program alone, by a kernel test run; None where not taken."""
    steal_ratio: float = 0.0
    """Share of all CPU time that the hypervisor gave to others meanwhile."""
    rates: tuple[int, ...] = ()
    """Packets counted in each sampling interval, in order; empty where not sampled."""
    rate_interval_s: float = 0.0
    """Length of a sampling interval."""
    ping: Ping | None = None
    """Echo requests beside the load, or all of it; None where none were sent."""
    memory_bytes: int | None = None
    """Kernel memory that program and tables hold; None where not taken."""
    probes: Mapping[str, float] = field(default_factory=dict)
    """Counts of collectors around the trial, warm-up included; empty where none ran."""
    user_threads: tuple[ThreadPlace, ...] = ()
    """Where each thread of the device in user space ran last; empty where it has none."""
    stretches_ns: tuple[tuple[float, ...], ...] = ()
    """By core: quantiles of the time of a packet over short stretches of the trial, the middle of
    each fortieth (`linerate.stretches`); empty where none were timed."""
    failure: str = ""
    """How the device under test failed: nothing was counted. Empty where it did not."""
    remarks: tuple[str, ...] = ()
    """What the generator says against its own counts, one sentence each; mostly empty."""
    started_at: str = ""
    """UTC, ISO 8601."""
    began_ns: int = 0
    """When the window that was counted began, by this machine's monotonic clock; 0 where its
    generator does not say, or runs on another machine."""

    def __post_init__(self) -> None:
        if not self.duration_s > 0.0:
            raise ValueError(f"duration_s must be positive, got {self.duration_s}")
        if not 0 <= self.forwarded_packets <= self.sent_packets <= self.intended_packets:
            raise ValueError(
                "counts must satisfy 0 <= forwarded <= sent <= intended, got "
                f"{self.forwarded_packets}, {self.sent_packets}, {self.intended_packets}; "
                "stale packets in a queue? drain it before the trial"
            )

    @property
    def loss_ratio(self) -> float:
        """Share of intended packets that did not come back, 0 to 1."""
        if not self.intended_packets:
            return 0.0
        return (self.intended_packets - self.forwarded_packets) / self.intended_packets

    @property
    def forwarded_mpps(self) -> float:
        """Forwarding rate."""
        return self.forwarded_packets / self.duration_s / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a trial or run can be believed."""

    state: VerdictState
    reasons: tuple[str, ...] = ()
    """Why not, one sentence each; empty when valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One finished trial, as the journal of a campaign keeps it."""

    run_id: str
    """The trials of one program load share it."""
    repetition: int
    canary: bool
    """A cell repeated to see drift; not part of the plan's factors."""
    cell: Cell
    trial: Trial
    verdict: Verdict
    program_hash: str
    """SHA-256 of the object file that was loaded, 16 hex digits."""
    purpose: Purpose = "run"
    """Trials of a search are not rows of the table of runs."""
    cost: str = ""
    """What a packet of the datapath costs by; empty in journals of before it was kept."""
    box: str = ""
    """Box of a lab that measured it; empty where the campaign has one box."""
    schema_version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What a packet executes on the longest path of a program, as its text says."""

    source: str
    """Name of the file."""
    operations: Mapping[str, int]
    """Times that each kind of operation is executed."""
    forward: Mapping[str, int]
    """The same of a program that only forwards: the base path, which is priced as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """What a capacity model says of n cells; all arrays have shape (n,)."""

    predicted_mpps: NDArray[np.float64]
    lower_mpps: NDArray[np.float64]
    """Lower end of the 90 % interval of one load of the program."""
    upper_mpps: NDArray[np.float64]
    lower_median_mpps: NDArray[np.float64]
    """Lower end of the 90 % interval of the median of several loads."""
    upper_median_mpps: NDArray[np.float64]
    sustains_line_rate: NDArray[np.float64]
    """Probability, 0 to 1, that one load forwards at least 99 % of line rate."""
    bottleneck: NDArray[np.str_]
    """The limit that is smallest: its name."""
    in_domain: NDArray[np.bool_]
    """Whether the cell lies inside what was fitted; outside, 90 % is not promised."""

    def within_line(self, line_mpps: NDArray[np.float64]) -> Predictions:
        """Cut rates and their intervals at line rate, which no link exceeds."""
        names = [name for name in self.__slots__ if name.endswith("_mpps")]
        cut = {name: np.minimum(getattr(self, name), line_mpps) for name in names}
        return replace(self, **cut)

    def take(self, rows: NDArray[np.intp]) -> Predictions:
        """Keep some cells, in the order of ``rows``."""
        return Predictions(**{name: getattr(self, name)[rows] for name in self.__slots__})

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Columns that ``predict --cells`` adds, in order."""
        return {name: getattr(self, name) for name in self.__slots__}


def planned_id(run_id: str) -> str:
    """Id of the plan's run or search: the box that measured it, and a begin anew, stand behind it.

    >>> planned_id("c0004-r2+1"), planned_id("s0000-r1@rack1-a+2")
    ('c0004-r2', 's0000-r1')
    """
    return run_id.split("+")[0].split("@")[0]
