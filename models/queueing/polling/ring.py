"""A ring of K packets and the core that polls it in bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linerate.errors import bad_input


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A ring and the core that polls it; service times are constant, arrivals Poisson."""

    load_mpps: float
    """Packets offered."""
    service_time_ns: float
    """Time of one packet."""
    burst: int
    """Most packets of one poll: 32 in DPDK, NAPI's budget of 64."""
    places: int
    """Packets that the ring holds; those taken have given their places back."""
    visit_ns: float = 0.0
    """Cost of a poll that finds packets."""
    empty_ns: float = 0.0
    """Cost of a poll that finds none."""
    setup_ns: float | None = None
    """Time to wake after the ring was found empty; None for a core that never sleeps."""
    away_ns: tuple[float, ...] = (0.0,)
    """Equally likely times that the core spends elsewhere after each poll."""
    gated: bool = True
    """Take only what is there at the poll (a receive burst of DPDK); otherwise one by one, later
    arrivals too, up to a burst (a NAPI poll)."""

    def __post_init__(self) -> None:
        for name in ("load_mpps", "service_time_ns", "burst", "places"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise bad_input(name, getattr(self, name), why="no such ring", allowed="> 0",
                                do="correct it")  # fmt: skip
        if self.setup_ns is None and not self.empty_ns + min(self.away_ns) > 0.0:
            raise bad_input("empty_ns", self.empty_ns, why="a core that polls takes time for it",
                            allowed="> 0", do="name the cost of an empty poll")  # fmt: skip

    @property
    def sleeps(self) -> bool:
        """Whether the core sleeps when it finds nothing."""
        return self.setup_ns is not None

    def away(self, found: int) -> tuple[float, ...]:
        """Give the times until the next poll, equally likely, after one that took what it found."""
        if found == 0 and self.setup_ns is not None:
            return (self.setup_ns,)
        taken = min(found, self.burst)
        spent_ns = self.visit_ns + taken * self.service_time_ns if found else self.empty_ns
        return tuple(spent_ns + away_ns for away_ns in self.away_ns)

    def left(self, found: int) -> int:
        """Packets in the ring as the core turns away; asleep, it is away from the first arrival."""
        if found == 0 and self.setup_ns is not None:
            return 1
        return found - min(found, self.burst)
