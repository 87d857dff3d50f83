"""How long a packet holds its slowest stage, from the constants of its path.

Run to completion (XDP, and sockets that take turns with the kernel on their queue's core):
``q / [(base + byte * s) * g(q) + access * N]``; contention g touches the base path, which shares
memory and locks, and not the program's own work. One socket (AF_XDP copy mode): one user thread
returns the traffic of one queue, so that a kernel stage and a user stage run as a pipeline of
one server each, and the slower of the two sets the pace. The user thread competes with kernel
stages for its core: that slows its own work too, and only while these are busy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from linerate.models.capacity.scaling import COEFFICIENTS, Law, growth
from linerate.models.runs.cells import Array, Cells, Mask

USER = "user_"
"""What the names of the user stage's growth coefficients begin with."""
CONSTANTS = ("base_ns", "access_ns", "byte_ns", "user_ns", "crowding")
"""Names of those that are not coefficients of a growth law."""
CHUNK = 64.0
"""Smallest Ethernet frame, and a cache line."""
Constants = Mapping[str, float | Array]
"""By their names. Of shape (k, 1) they are k paths at once, and so are the answers: (k, n)."""


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
    by_byte: bool | Literal["doubling"] = False
    """Whether each stage's base path costs more for larger frames; "doubling": as much for each
    doubling of a frame as for its first 64 bytes."""
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


def service_ns(form: PathForm, constants: Constants, cells: Cells) -> tuple[Array, Mask]:
    """Time a packet holds its slowest stage, shape (n,), and where that is the user's."""
    grown = growth(form.law, cells.queues, _coefficients(form.law, constants))
    copied = constants["byte_ns"] * copied_bytes(form, cells.frame_bytes)
    base = (constants["base_ns"] + copied) * grown
    program = constants["access_ns"] * cells.memory_accesses
    if form.stages == 2:
        grown = growth(form.user_law, cells.queues, _coefficients(form.user_law, constants, USER))
        idle = constants[USER + "idle"] if form.user_law == "clocked" else 0.0
        competing = 1.0 + (grown - 1.0) * (idle + (1.0 - idle) * busy_ratio(base, cells))
        user = (constants["user_ns"] + copied + program) * competing
        return crowded_ns(base, user, constants["crowding"]), user > base
    if form.single_socket:
        return base + program * grown, np.zeros(len(cells), dtype=np.bool_)
    return base + program, np.zeros(len(cells), dtype=np.bool_)


def service_mpps(form: PathForm, constants: Constants, cells: Cells) -> tuple[Array, Mask]:
    """Rate of all servers together, shape (n,), and where the user's stage limits it."""
    held_ns, user = service_ns(form, constants, cells)
    servers = 1.0 if form.single_socket else cells.queues
    return servers * 1e3 / held_ns, user


def _coefficients(law: Law, constants: Constants, prefix: str = "") -> list[float | Array]:
    return [constants[prefix + name] for name in COEFFICIENTS[law]]


def copied_bytes(form: PathForm, frame_bytes: Array) -> Array:
    """Bytes that a frame is charged for, shape (n,).

    The first lines of a frame miss the cache, and each costs its time. Of a longer one the
    processor fetches lines ahead: each doubling costs as much as the first 64 bytes.

    >>> copied_bytes(PathForm(by_byte="doubling"), np.array([64.0, 128.0, 1024.0])).tolist()
    [64.0, 128.0, 320.0]
    """
    if form.by_byte != "doubling":
        return frame_bytes
    doublings = np.log2(np.maximum(frame_bytes, CHUNK) / CHUNK)
    return np.asarray(np.minimum(frame_bytes, CHUNK) + CHUNK * doublings)


def busy_ratio(kernel_ns: Array, cells: Cells) -> Array:
    """Share of the time that a kernel stage works on what arrives at its queue, shape (n,).

    It takes in what comes, whether or not the user stage keeps up: 1 where it cannot take in all.
    """
    arriving_mpps = np.minimum(cells.line_mpps, cells.offered_mpps) / cells.queues
    return np.minimum(arriving_mpps * kernel_ns / 1e3, 1.0)


def crowded_ns(kernel_ns: Array, user_ns: Array, crowding: float | Array) -> Array:
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
