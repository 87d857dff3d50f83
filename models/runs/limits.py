"""Capacity as the smallest of named limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from linerate.line_rate import SATURATING_RATIO
from linerate.models.runs.cells import Array, Cells, Mask, Pair
from linerate.models.runs.limit_names import LIMITS
from linerate.models.runs.parameters import Parameter

if TYPE_CHECKING:
    from linerate.models.runs.training import Training

SERVICE, KERNEL_STAGE, USER_STAGE, LINE, SOCKET, NIC, OFFERED = range(len(LIMITS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What bounds n cells; every array has shape (n,)."""

    service_mpps: Array
    """What the servers could do were nothing else in their way."""
    ceiling_mpps: Array
    """The smallest of the other limits."""
    service: NDArray[np.int8]
    """Index into ``LIMITS`` of the stage that sets ``service_mpps``."""
    ceiling: NDArray[np.int8]
    """Index into ``LIMITS`` of what sets ``ceiling_mpps``."""

    @property
    def predicted_mpps(self) -> Array:
        """The smallest limit."""
        return np.minimum(self.service_mpps, self.ceiling_mpps)

    @property
    def by_service(self) -> Mask:
        """Whether the servers are the smallest limit."""
        return self.service_mpps < self.ceiling_mpps

    @property
    def bottleneck(self) -> NDArray[np.str_]:
        """Name of the smallest limit."""
        return np.array(LIMITS)[np.where(self.by_service, self.service, self.ceiling)]


class CapacityModel(Protocol):
    """What every member of ``MODELS`` does."""

    name: ClassVar[str]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be identified, one sentence each."""
        ...

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Fitted constants; empty where none could be read by itself."""
        ...

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Choose structure and constants."""
        ...

    def refit(self, training: Training) -> Self:
        """Keep the structure, fit the constants anew."""
        ...

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        ...


class Fitter(Protocol):
    """What makes a capacity model of runs: its class, or what knows more than the runs."""

    @property
    def name(self) -> str:
        """As the command line and model files call it."""
        ...

    def fit(self, training: Training) -> CapacityModel:
        """Choose structure and constants."""
        ...


def ceilings(cells: Cells, *, socket: Mask | None = None, nic_mpps: float = np.inf
             ) -> tuple[Array, NDArray[np.int8]]:  # fmt: skip
    """Smallest limit that is not service, and its index in ``LIMITS``.

    Parameters
    ----------
    cells
        n cells.
    socket
        Where a single socket returns the share of one queue only, shape (n,).
    nic_mpps
        Most packets a second the NIC moves, whatever their size.
    """
    ceiling_mpps = cells.line_mpps
    name = np.full(len(cells), LINE, dtype=np.int8)
    if socket is not None and socket.any():
        narrowed = socket & (cells.queues > 1)
        ceiling_mpps = np.where(narrowed, ceiling_mpps / cells.queues, ceiling_mpps)
        name[narrowed] = SOCKET
    for limit, code in ((np.full(len(cells), nic_mpps), NIC), (cells.offered_mpps, OFFERED)):
        smaller = limit < SATURATING_RATIO * ceiling_mpps
        ceiling_mpps = np.where(smaller, limit, ceiling_mpps)
        name[smaller] = code
    return ceiling_mpps, name
