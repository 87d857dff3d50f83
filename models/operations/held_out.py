"""Packets' times predicted without their own runs, those of their loads and of their kinds."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from linerate.models.operations.model import Mixes
from linerate.models.operations.work import Work
from linerate.models.runs.cells import Array, Codes, Mask
from linerate.models.validation.folds import hold_out

Sort = Literal["base", "number", "mix", "mix_number", "setting"]
"""What was asked of a work that was held out: a base path at other settings; another number of one
kind; kinds that the fit has never seen in one mix; kinds that it has seen so in other numbers;
or, where no other run has a kind, the same steps at other settings."""
SORTS: tuple[Sort, ...] = ("base", "number", "mix", "mix_number", "setting")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One work, and its time predicted from the others."""

    sort: Sort
    work: Work
    measured_ns: float
    """Median of its runs."""
    predicted_ns: float
    """By the fit that has not seen it; nan where it has no answer."""
    error_ns: float
    """Standard deviation that the constants of that fit leave."""
    outside: float
    """Doublings beyond what was seen."""
    unknown: str
    """Why it cannot be predicted; empty where it can."""

    @property
    def score(self) -> float:
        """Log ratio of measured to predicted rate."""
        return float(np.log(self.predicted_ns / self.measured_ns))


def group_of(work: Work) -> Hashable:
    """Name what is held out together.

    A mix leaves with every other mix of the same kinds, a number of a kind with that number at all
    settings, a base path alone, and so does a filter at its hook.
    """
    if len(work.steps) > 1:
        return work.scope, work.kinds
    if work.steps and work.scope != "filter":
        return work.scope, work.steps, work.set_bytes
    return work.scope, work.base, work.settings, work.steps


def held_out(works: Sequence[Work], times_ns: Array) -> Iterator[HeldOut]:
    """Hold out each group in turn.

    Parameters
    ----------
    works
        Distinct works.
    times_ns
        Median time of a packet of each, shape (works,).
    """
    for out in hold_out(_codes([group_of(work) for work in works])):
        strict = list(_asked(works, times_ns, out))
        yield from (asked for asked in strict if not asked.unknown)
        for asked in strict:
            if asked.unknown:
                yield _at_other_settings(works, times_ns, asked)
        yield from _in_other_numbers(works, times_ns, strict)


@lru_cache(maxsize=4)
def all_held_out(works: tuple[Work, ...], times_ns: tuple[float, ...]) -> tuple[HeldOut, ...]:
    """Take all of ``held_out``; a fit and its validation on the same runs ask for it once."""
    return tuple(held_out(works, np.array(times_ns)))


def _in_other_numbers(
    works: Sequence[Work], times_ns: Array, group: Sequence[HeldOut]
) -> Iterator[HeldOut]:
    """Hold out the numbers of a mix one after the other, where its kinds have several."""
    numbers = {asked.work.steps for asked in group if asked.sort == "mix"}
    mixes = [work.steps if work.steps in numbers else () for work in works]
    for out in hold_out(_codes(mixes)) if len(numbers) > 1 else ():
        if any(mix for mix, held in zip(mixes, out, strict=True) if held):
            for asked in _asked(works, times_ns, out):
                yield replace(asked, sort="mix_number")


def _codes(keys: Sequence[Hashable]) -> Codes:
    """Give each distinct key a number, in the order that they come first."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.intp)


def _at_other_settings(works: Sequence[Work], times_ns: Array, refused: HeldOut) -> HeldOut:
    """Hold out nothing but the work; what was refused where that is refused too."""
    alone = np.array([work == refused.work for work in works])
    (asked,) = _asked(works, times_ns, alone)
    return refused if asked.unknown or not refused.work.steps else replace(asked, sort="setting")


def _asked(works: Sequence[Work], times_ns: Array, out: Mask) -> Iterator[HeldOut]:
    model = Mixes.fit([work for work, held in zip(works, out, strict=True) if not held],
                      times_ns[~out])  # fmt: skip
    for place in map(int, np.flatnonzero(out)):
        work = works[place]
        unknown = model.unknown(work)
        predicted_ns, error_ns = model.time_ns(work)
        yield HeldOut(
            sort=SORTS[min(len(work.steps), 2)], work=work, measured_ns=float(times_ns[place]),
            predicted_ns=np.nan if unknown else predicted_ns, error_ns=error_ns,
            outside=model.outside(work), unknown=unknown,
        )  # fmt: skip
