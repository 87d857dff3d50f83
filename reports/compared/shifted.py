"""Which constants of a packet's cost changed between two campaigns, in words and as a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linerate.models.shifts import Shift
from linerate.reports.compared.compared import Compared
from linerate.reports.language import Words, message
from linerate.reports.studies import Grid

NAMES = {
    "base_ns": message("its base path"),
    "access_ns": message("each memory access"),
    "byte_ns": message("each byte of its frame"),
    "user_ns": message("its stage in user space"),
}
"""Of constants that are times; what else a model has is how these grow with queues."""


def shifted(compared: Compared, words: Words) -> Iterator[str]:
    """Say by how much each constant changed that did, or that none can be seen to have."""
    changed = [one for one in compared.shifts if one.differs]
    yield from (_sentence(compared, one, words) for one in changed)
    if compared.shifts and not changed:
        yield words("No constant of a packet's cost can be seen to differ.")


def _sentence(compared: Compared, shift: Shift, words: Words) -> str:
    path, second = f"{shift.datapath}/{shift.program}", compared.names[1]
    ends = _ends(shift, words, less=shift.is_time and shift.difference < 0.0)
    if not shift.is_time:
        return words(
            "On {path} contention between queues changed: {constant} from {before} to {after} "
            "(90 % interval of the difference {ends}).", path=path, constant=shift.constant,
            before=words.number(shift.first, 3), after=words.number(shift.second, 3), ends=ends,
        )  # fmt: skip
    what = words(NAMES[shift.constant])
    time_ns = words.number(abs(shift.difference), 3)
    if shift.difference > 0.0:
        return words("On {path} {second} costs {ns} ns more per packet in {what} (90 % interval "
                     "{ends} ns).", path=path, second=second, ns=time_ns, what=what,
                     ends=ends)  # fmt: skip
    return words("On {path} {second} costs {ns} ns less per packet in {what} (90 % interval "
                 "{ends} ns).", path=path, second=second, ns=time_ns, what=what,
                 ends=ends)  # fmt: skip


def shifts_grid(compared: Compared, words: Words) -> Grid:
    """List every constant of both campaigns."""
    header = (words("path"), words("constant"), *compared.names, words("difference"),
              words("90 % interval"))  # fmt: skip
    return Grid(header=header, rows=tuple(
        (f"{one.datapath}/{one.program}", one.constant, words.number(one.first, 4),
         words.number(one.second, 4), words.number(one.difference, 3), _ends(one, words))
        for one in compared.shifts
    ))  # fmt: skip


def _ends(shift: Shift, words: Words, *, less: bool = False) -> str:
    """Print the ends of the difference, or of how much less it is."""
    if not np.isfinite([shift.lower, shift.upper]).all():
        return "-"
    low, high = shift.lower, shift.upper
    if less:
        low, high = -high, -low
    return words("{low} to {high}", low=words.number(low, 3), high=words.number(high, 3))
