"""Which core answers each interrupt of an interface."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from linerate.measure.tuning.folder import open_folder
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.knobs.knob import (
    Scope,
    no_such,
    one_each,
    refused,
    usable_cores,
)

SPREAD = "spread"
_QUEUE = re.compile(r"(?:txrx|comp|input|output|rx|tx|queue|q)[-._]?(\d+)(?:@.*)?$", re.IGNORECASE)
"""How drivers name the interrupt of queue N: eth0-TxRx-3, mlx5_comp3@pci:..., virtio1-input.3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptCores:
    """Cores of each interrupt, as the kernel lists them: 0-1, or 3."""

    name: str = "interrupt_cores"
    allowed: str = (
        "spread (queue N on the Nth core), spread 2 4 (queue N on the Nth of these), or cores such "
        "as 0-1, one list for each"
    )
    scope: Scope = "interface"
    root: Path = Path("/")

    def available(self, interface: Interface) -> str | None:
        """Say why it cannot be set here; None if it can."""
        try:
            self.show(interface)
        except OSError as error:
            return no_such(error)
        # it would move them again within ten seconds
        balancer = next(_processes("irqbalance", self.root), None)
        return (
            f"irqbalance (process {balancer}) would move them back: systemctl stop irqbalance"
            if balancer
            else None
        )

    def show(self, interface: Interface) -> str:
        """Read the cores, interrupt by interrupt in ascending order."""
        return " ".join(self._file(irq).read_text().strip() for irq in self._irqs(interface))

    def tune(self, interface: Interface, value: str) -> None:
        """Set one list for all, one for each, or spread the queues over this process's cores."""
        irqs = self._irqs(interface)
        first, *named = value.split() or [value]
        if first == SPREAD:
            value = " ".join(self._spread(irqs, [self._core(word) for word in named]))
        if not re.fullmatch(r"[0-9,-]+( [0-9,-]+)*", value):
            raise refused(self.name, value, "it is not a list of cores", self.allowed)
        self.reset(interface, value)

    def reset(self, interface: Interface, value: str) -> None:
        """Put back the cores."""
        irqs = self._irqs(interface)
        for irq, cores in zip(irqs, one_each(self.name, value, len(irqs)), strict=True):
            if self._file(irq).read_text().strip() != cores:
                self._file(irq).write_text(cores)

    def _core(self, word: str) -> int:
        cores = usable_cores()
        if word not in map(str, cores):
            raise refused(self.name, word, "this process has no such core", f"{cores}")
        return int(word)

    def _spread(self, irqs: list[int], named: list[int]) -> Iterator[str]:
        """Name a core for each queue's interrupt; one that is not a queue's keeps its cores."""
        cores = named or usable_cores()
        for irq in irqs:
            queue = queue_of((self.root / f"sys/kernel/irq/{irq}/actions").read_text())
            kept = self._file(irq).read_text().strip()
            yield kept if queue is None else str(cores[queue % len(cores)])

    def _irqs(self, interface: Interface) -> list[int]:
        with open_folder(interface) as folder:
            found = interrupts_of(Path(f"/proc/self/fd/{folder.descriptor}/device"))
        if not found:
            raise OSError(errno.EOPNOTSUPP, "no interrupts of its own")
        return found

    def _file(self, irq: int) -> Path:
        return self.root / f"proc/irq/{irq}/smp_affinity_list"


def interrupts_of(device: Path) -> list[int]:
    """List the interrupts of a device, or of the PCI function that a virtio device sits on."""
    if not device.exists():
        return []
    place = device.resolve()
    for folder in (place / "msi_irqs", place.parent / "msi_irqs"):
        if folder.is_dir():
            return sorted(int(entry.name) for entry in folder.iterdir())
    return []


def queue_of(action: str) -> int | None:
    """Tell the queue that an interrupt is for by its name; None for any other.

    >>> queue_of("ice-ens2np0-TxRx-3"), queue_of("mlx5_comp2@pci:0000:01:00.0")
    (3, 2)
    >>> queue_of("virtio1-config"), queue_of("mlx5_async0@pci:0000:01:00.0")
    (None, None)
    """
    found = _QUEUE.search(action.strip())
    return int(found[1]) if found else None


def _processes(name: str, root: Path) -> Iterator[int]:
    for comm in (root / "proc").glob("[0-9]*/comm"):
        with suppress(OSError):  # it ended meanwhile
            if comm.read_text().strip() == name:
                yield int(comm.parent.name)
