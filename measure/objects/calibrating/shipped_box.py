"""The shipped box that is nearest to this machine, for answers without a calibration of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import linerate
from linerate.box import Box, read_box
from linerate.errors import bad_input
from linerate.measure.system.describe import this_box
from linerate.programs.costs import YARDSTICK

FOLDER = Path(linerate.__file__).parent / "data/boxes"
BARE = "none"
"""What a box says of its hypervisor where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedBox:
    """A calibrated box, and how it is like this machine."""

    box: Box
    alike: tuple[str, ...]
    """In words, what is equal, the most important first."""
    unlike: tuple[str, ...]
    """In words, what is not."""

    def __str__(self) -> str:
        same = f"like this machine: {', '.join(self.alike)}" if self.alike else "unlike it in all"
        other = f"; not: {', '.join(self.unlike)}" if self.alike and self.unlike else ""
        return f"box {self.box.name}, {same}{other}"


def shipped_box(folder: Path = FOLDER) -> ShippedBox:
    """Choose the nearest of the boxes in a folder.

    Raises
    ------
    BadInputError
        None of them was calibrated.
    """
    boxes = [read_box(path) for path in sorted(folder.glob("*.toml"))]
    return nearest_box(this_box("veth"), boxes)


def nearest_box(machine: Box, boxes: Iterable[Box]) -> ShippedBox:
    """Choose the calibrated box that is most like a machine.

    The rule: a box of the same CPU model before one of the same vendor, then one that is virtual
    if the machine is, then one of the same kernel release, then one with as many cores, then the
    first by name.

    Raises
    ------
    BadInputError
        None of them was calibrated.
    """
    calibrated = [box for box in boxes if YARDSTICK in box.costs]
    if not calibrated:
        raise bad_input(
            "box", "none", why="no calibrated box is shipped, and this machine was not calibrated",
            allowed="a calibrated box", do="name one by --box, or sudo linerate calibrate",
        )  # fmt: skip
    best = min(calibrated, key=lambda box: (*(not same for _, same in _compared(machine, box)),
                                            box.name))  # fmt: skip
    compared = _compared(machine, best)
    return ShippedBox(
        box=best, alike=tuple(words for words, same in compared if same),
        unlike=tuple(words for words, same in compared if not same),
    )  # fmt: skip


def _compared(machine: Box, box: Box) -> list[tuple[str, bool]]:
    """Say what is compared, the most important first, and whether it is equal."""
    return [
        ("CPU model", machine.cpu_model == box.cpu_model),
        ("vendor", machine.cpu_model.split(" ")[0] == box.cpu_model.split(" ")[0]),
        ("virtual or not", (machine.hypervisor == BARE) == (box.hypervisor == BARE)),
        ("kernel release", _release(machine) == _release(box)),
        ("cores", machine.cores == box.cores),
    ]


def _release(box: Box) -> tuple[str, ...]:
    return tuple(box.kernel.split(".")[:2])
