"""What a packet costs on one path: the fitted constants of a program on a datapath."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from linerate.models.capacity.packet_time import CONSTANTS, USER, PathForm, service_mpps
from linerate.models.capacity.scaling import COEFFICIENTS, law_text
from linerate.models.runs.cells import Array, Cells, Mask, Pair
from linerate.models.runs.limits import KERNEL_STAGE, SERVICE, USER_STAGE, Limits, ceilings

if TYPE_CHECKING:
    from linerate.box import Cost


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

    def constants(self) -> dict[str, float]:
        """Every constant by its name, those too that the form has no use for."""
        fixed = {name: float(getattr(self, name)) for name in CONSTANTS}
        return fixed | self.values()

    def service_mpps(self, cells: Cells) -> tuple[Array, Mask]:
        """Rate of all servers together, shape (n,), and where the user's stage limits it."""
        return service_mpps(self.form, self.constants(), cells)

    def costs(self) -> dict[str, Cost]:
        """Constants in ns with their intervals, as a box file keeps them."""
        from linerate.box import Cost  # what reads TOML is slow to load

        return {
            f"{self.pair.datapath}.{self.pair.program}.{name}": Cost(
                value_ns=getattr(self, name), lower_ns=lower, upper_ns=upper
            )
            for name, (lower, upper) in self.intervals.items()
            if name.endswith("_ns")
        }

    def _share(self) -> str:
        if self.form.user_law != "clocked":
            return "kernel's busy share"
        idle = self.user_coefficients[-1]
        return f"({idle:.2g} + {1.0 - idle:.2g} * kernel's busy share)"

    def __str__(self) -> str:
        charged = "64 log2(bytes / 32)" if self.form.by_byte == "doubling" else "bytes"
        copied = f" + {self.byte_ns:.3g} ns * {charged}" if self.form.by_byte else ""
        base = f"({self.base_ns:.4g} ns{copied})" if copied else f"{self.base_ns:.4g} ns"
        work = f"{self.access_ns:.4g} ns * accesses"
        grown = law_text(self.form.law, self.coefficients)
        bound = " (an upper bound: every run was at its ceiling)" if self.bounded else ""
        if self.form.stages == 2:
            competing = law_text(self.form.user_law, self.user_coefficients)
            if self.form.user_law != "linear":
                competing = f"[1 + ({competing} - 1) * {self._share()}]"
            full = f" + {self.crowding:.2g} * kernel * (share of drops)" if self.crowding else ""
            user = f"({self.user_ns:.4g} ns{copied} + {work}) * {competing}{full}"
            text = f"1 / max(kernel = {base} * {grown}, user = {user})"
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
        service_mpps[rows], user = path.service_mpps(moved.take(rows))
        socket[rows] = path.form.single_socket
        two = path.form.stages == 2
        stage[rows] = np.where(user, USER_STAGE, KERNEL_STAGE) if two else SERVICE
    ceiling_mpps, ceiling = ceilings(cells, socket=socket, nic_mpps=nic_mpps)
    return Limits(
        service_mpps=service_mpps, ceiling_mpps=ceiling_mpps, service=stage, ceiling=ceiling
    )
