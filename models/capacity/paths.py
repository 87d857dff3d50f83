"""What a packet costs on one path: a program on a datapath.

Run to completion (XDP, and sockets that take turns with the kernel on their queue's core):
``q / [(base + byte * s) * g(q) + access * N]``; contention g touches the base path, which shares
memory and locks, and not the program's own work. One socket (AF_XDP copy mode): one user thread
returns the traffic of one queue, so that a kernel stage and a user stage run as a pipeline of
one server each, and the slower of the two sets the pace. The user thread competes with kernel
stages for its core: that slows its own work too, and only while these are busy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from linerate.box import Cost
from linerate.models.capacity.scaling import COEFFICIENTS, Law, growth, law_text
from linerate.models.runs.cells import Array, Cells, Mask, Pair
from linerate.models.runs.limits import KERNEL_STAGE, SERVICE, USER_STAGE, Limits, ceilings

USER = "user_"
"""What the names of the user stage's growth coefficients begin with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathForm:
    """Structure of one path's service time; its constants are in ``PathCost``."""

    law: Law = "linear"
    """How the base path grows with queues."""
    user_law: Law = "linear"
    """How the user stage grows with queues, where there is one."""
    stages: Literal[1, 2] = 1
    """2: a kernel stage and a user stage as a pipeline."""
    single_socket: bool = False
    """One server whatever the queues, and only one queue's share comes back."""
    by_byte: bool = False
    """Whether each stage's base path costs more for larger frames."""
    by_access: bool = True
    """Whether accesses were varied, so that their cost and the base can be separated."""
    crowded: bool = False
    """Whether a ring that is full slows the user stage."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the constants to be fitted."""
        names = ["base_ns", *(["access_ns"] if self.by_access else [])]
        names += ["user_ns"] if self.stages == 2 else []
        names += ["byte_ns"] if self.by_byte else []
        names += ["crowding"] if self.crowded else []
        names += COEFFICIENTS[self.law]
        return (*names, *(USER + name for name in COEFFICIENTS[self.user_law]))


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
    crowding: float = 0.0
    """Share of the kernel stage's time that an always full ring adds to the user stage."""
    coefficients: tuple[float, ...] = ()
    """Of the base path's growth law, in its order."""
    user_coefficients: tuple[float, ...] = ()
    """Of the user stage's growth law."""
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """90 % interval of each constant, over program loads."""
    bounded: bool = False
    """True: no run was limited by service, so that ``base_ns`` is only an upper bound."""

    def values(self) -> dict[str, float]:
        """Constants by their names, in the form's order."""
        grown = (*self.coefficients, *self.user_coefficients)
        names = self.form.parameters
        split = len(names) - len(grown)
        fixed = {name: float(getattr(self, name)) for name in names[:split]}
        return fixed | dict(zip(names[split:], grown, strict=True))

    def with_values(self, values: Mapping[str, float]) -> PathCost:
        """Change constants by their names; what is not named stays."""
        new = {**self.values(), **values}
        return replace(
            self, base_ns=new["base_ns"], access_ns=new.get("access_ns", self.access_ns),
            byte_ns=new.get("byte_ns", self.byte_ns), user_ns=new.get("user_ns", self.user_ns),
            crowding=new.get("crowding", self.crowding),
            coefficients=tuple(new[name] for name in COEFFICIENTS[self.form.law]),
            user_coefficients=tuple(new[USER + name] for name in COEFFICIENTS[self.form.user_law]),
        )  # fmt: skip

    def service_ns(self, cells: Cells) -> tuple[Array, Mask]:
        """Time a packet holds its slowest stage, shape (n,), and where that is the user's."""
        grown = growth(self.form.law, cells.queues, self.coefficients)
        copied = self.byte_ns * cells.frame_bytes
        base = (self.base_ns + copied) * grown
        program = self.access_ns * cells.memory_accesses
        if self.form.stages == 2:
            grown = growth(self.form.user_law, cells.queues, self.user_coefficients)
            competing = 1.0 + (grown - 1.0) * busy_ratio(base, cells)
            user = (self.user_ns + copied + program) * competing
            return crowded_ns(base, user, self.crowding), user > base
        if self.form.single_socket:
            return base + program * grown, np.zeros(len(cells), dtype=np.bool_)
        return base + program, np.zeros(len(cells), dtype=np.bool_)

    def service_mpps(self, cells: Cells) -> tuple[Array, Mask]:
        """Rate of all servers together, shape (n,), and where the user's stage limits it."""
        service_ns, user = self.service_ns(cells)
        servers = 1.0 if self.form.single_socket else cells.queues
        return servers * 1e3 / service_ns, user

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
        copied = f" + {self.byte_ns:.3g} ns * bytes" if self.form.by_byte else ""
        base = f"({self.base_ns:.4g} ns{copied})" if copied else f"{self.base_ns:.4g} ns"
        work = f"{self.access_ns:.4g} ns * accesses"
        grown = law_text(self.form.law, self.coefficients)
        bound = " (an upper bound: every run was at its ceiling)" if self.bounded else ""
        if self.form.stages == 2:
            competing = law_text(self.form.user_law, self.user_coefficients)
            if self.form.user_law != "linear":
                competing = f"[1 + ({competing} - 1) * kernel's busy share]"
            full = f" + {self.crowding:.2g} * kernel * (share of drops)" if self.crowding else ""
            user = f"({self.user_ns:.4g} ns{copied} + {work}) * {competing}{full}"
            text = f"1 / max(kernel = {base} * {grown}, user = {user})"
        elif self.form.single_socket:
            text = f"1 / [({base} + {work}) * {grown}]"
        else:
            text = f"q / [{base} * {grown} + {work}]"
        line = "line rate / q" if self.form.single_socket else "line rate"
        return f"{self.pair}: pps = min({line}, {text}){bound}"


def busy_ratio(kernel_ns: Array, cells: Cells) -> Array:
    """Share of the time that a kernel stage works on what arrives at its queue, shape (n,).

    It takes in what comes, whether or not the user stage keeps up: 1 where it cannot take in all.
    """
    arriving_mpps = np.minimum(cells.line_mpps, cells.offered_mpps) / cells.queues
    return np.minimum(arriving_mpps * kernel_ns / 1e3, 1.0)


def crowded_ns(kernel_ns: Array, user_ns: Array, crowding: float) -> Array:
    """Time between two packets of a pipeline whose user stage a full ring slows.

    Where the user stage is the slower, the kernel stage finds the ring full for the share
    ``1 - kernel / T`` of its packets, drops them there, and slows the user stage by ``crowding``
    kernel times that share: ``T = user + crowding * kernel * (1 - kernel / T)``, solved for T.

    Parameters
    ----------
    kernel_ns, user_ns
        Time of each stage by itself, shape (n,).
    crowding
        0 to 1; 0 is the slower of the two stages.

    Examples
    --------
    >>> crowded_ns(np.array([100.0, 100.0]), np.array([90.0, 300.0]), 0.0).tolist()
    [100.0, 300.0]
    """
    whole = user_ns + crowding * kernel_ns
    root = np.sqrt(np.maximum(whole**2 - 4.0 * crowding * kernel_ns**2, 0.0))
    slower = np.where(user_ns > kernel_ns, 0.5 * (whole + root), kernel_ns)
    return np.asarray(slower, dtype=np.float64)


def path_limits(paths: tuple[PathCost, ...], cells: Cells, nic_mpps: float = np.inf) -> Limits:
    """Limits of cells under given path costs."""
    moved = cells.of_pairs([path.pair for path in paths])
    service_mpps = np.empty(len(cells))
    stage = np.zeros(len(cells), dtype=np.int8)
    socket = np.zeros(len(cells), dtype=np.bool_)
    for code, path in enumerate(paths):
        rows = np.flatnonzero(moved.pair == code)
        service_mpps[rows], user = path.service_mpps(moved.take(rows))
        socket[rows] = path.form.single_socket
        two = path.form.stages == 2
        stage[rows] = np.where(user, USER_STAGE, KERNEL_STAGE) if two else SERVICE
    ceiling_mpps, ceiling = ceilings(cells, socket=socket, nic_mpps=nic_mpps)
    return Limits(
        service_mpps=service_mpps, ceiling_mpps=ceiling_mpps, service=stage, ceiling=ceiling
    )
