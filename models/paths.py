"""What a packet costs on one path: a program on a datapath.

Run to completion (XDP): ``q / [(base + byte * s) * g(q) + access * N]``; contention g touches
the base path, which shares memory and locks, and not the program's own work. One socket
(AF_XDP copy mode): one user thread returns the traffic of one queue, so that a kernel stage and
a user stage run as a pipeline of one server, and the slower of the two sets the pace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from linerate.box import Cost
from linerate.models.cells import Array, Cells, Mask, Pair
from linerate.models.limits import KERNEL_STAGE, SERVICE, USER_STAGE, Limits, ceilings
from linerate.models.scaling import COEFFICIENTS, Law, growth, law_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PathForm:
    """Structure of one path's service time; its constants are in ``PathCost``."""

    law: Law = "linear"
    """How the base path grows with queues."""
    stages: Literal[1, 2] = 1
    """2: a kernel stage and a user stage as a pipeline."""
    single_socket: bool = False
    """One server whatever the queues, and only one queue's share comes back."""
    by_byte: bool = False
    """Whether the base path costs more for larger frames."""
    by_access: bool = True
    """Whether accesses were varied, so that their cost can be told from the base."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the constants to be fitted."""
        names = ["base_ns", *(["access_ns"] if self.by_access else [])]
        names += ["user_ns"] if self.stages == 2 else []
        return (*names, *(["byte_ns"] if self.by_byte else []), *COEFFICIENTS[self.law])


@dataclass(frozen=True, slots=True, kw_only=True)
class PathCost:
    """Fitted constants of one program on one datapath."""

    pair: Pair
    form: PathForm
    base_ns: float
    """Time of the base path, one queue, no accesses; of the kernel stage if there are two."""
    access_ns: float = 0.0
    """Time of one access."""
    byte_ns: float = 0.0
    """Time of one byte of frame on the base path."""
    user_ns: float = 0.0
    """Time of the user stage, no accesses."""
    coefficients: tuple[float, ...] = ()
    """Of the growth law, in its order."""
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """90 % interval of each constant, over program loads."""
    bounded: bool = False
    """True: no run was limited by service, so that ``base_ns`` is only an upper bound."""

    def service_ns(self, cells: Cells) -> tuple[Array, Mask]:
        """Time a packet holds its slowest stage, shape (n,), and where that is the user's."""
        grown = growth(self.form.law, cells.queues, self.coefficients)
        base = self.base_ns + self.byte_ns * cells.frame_bytes
        program = self.access_ns * cells.memory_accesses
        if self.form.stages == 2:
            user = self.user_ns + program
            return np.maximum(base, user) * grown, user > base
        if self.form.single_socket:
            return (base + program) * grown, np.zeros(len(cells), dtype=np.bool_)
        return base * grown + program, np.zeros(len(cells), dtype=np.bool_)

    def costs(self) -> dict[str, Cost]:
        """Constants in ns with their intervals, as a box file keeps them."""
        return {
            f"{self.pair.datapath}.{self.pair.program}.{name}": Cost(
                value_ns=getattr(self, name), lower_ns=lower, upper_ns=upper
            )
            for name, (lower, upper) in self.intervals.items()
            if name.endswith("_ns")
        }

    def __str__(self) -> str:
        base = f"{self.base_ns:.4g} ns"
        base = f"({base} + {self.byte_ns:.3g} ns * bytes)" if self.form.by_byte else base
        work = f"{self.access_ns:.4g} ns * accesses"
        grown = law_text(self.form.law, self.coefficients)
        bound = " (an upper bound: every run was at its ceiling)" if self.bounded else ""
        if self.form.stages == 2:
            text = f"1 / [max({base}, {self.user_ns:.4g} ns + {work}) * {grown}]"
        elif self.form.single_socket:
            text = f"1 / [({base} + {work}) * {grown}]"
        else:
            text = f"q / [{base} * {grown} + {work}]"
        line = "line rate / q" if self.form.single_socket else "line rate"
        return f"{self.pair}: pps = min({line}, {text}){bound}"


def path_limits(paths: tuple[PathCost, ...], cells: Cells, nic_mpps: float = np.inf) -> Limits:
    """Limits of cells under given path costs."""
    moved = cells.of_pairs([path.pair for path in paths])
    service_mpps = np.empty(len(cells))
    stage = np.zeros(len(cells), dtype=np.int8)
    socket = np.zeros(len(cells), dtype=np.bool_)
    for code, path in enumerate(paths):
        rows = np.flatnonzero(moved.pair == code)
        some = moved.take(rows)
        service_ns, user = path.service_ns(some)
        servers = 1.0 if path.form.single_socket else some.queues
        service_mpps[rows] = servers * 1e3 / service_ns
        socket[rows] = path.form.single_socket
        two = path.form.stages == 2
        stage[rows] = np.where(user, USER_STAGE, KERNEL_STAGE) if two else SERVICE
    ceiling_mpps, ceiling = ceilings(cells, socket=socket, nic_mpps=nic_mpps)
    return Limits(
        service_mpps=service_mpps, ceiling_mpps=ceiling_mpps, service=stage, ceiling=ceiling
    )
