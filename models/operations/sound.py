"""Whether costs can be fitted to examples that were read from a file: anybody may have written it.

Fitting them takes time with their number and with the largest of them, so both are bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from linerate.models.operations.work import TIMES_MAX, Work

WORKS_MAX = 20_000
KINDS_MAX = 2000
"""Of operations, over all examples."""
NS_MAX = 1e12
SET_BYTES_MAX = 2**50
LOG_MAX = 20.0
"""Of a score: half a billion times as fast as predicted."""
NAME_CHARACTERS_MAX = 200
COUNTS = ("queues", "pipeline_burst_packets")
"""Settings whose levels are counted with."""


def check_examples(works: Sequence[Work], packet_ns: Sequence[float]) -> None:
    """Refuse examples that no runs are.

    Raises
    ------
    ValueError
        Which, and why.
    """
    _require(len(works) <= WORKS_MAX, f"works: {len(works)} of them")
    _require(len(works) == len(packet_ns), f"packet_ns: {len(packet_ns)} times of {len(works)} "
             "works")  # fmt: skip
    for place, ns in enumerate(packet_ns):
        _require(0.0 < ns <= NS_MAX, f"packet_ns.{place}: {ns} is not a time")
    for place, work in enumerate(works):
        if why := _why_none(work):
            raise ValueError(f"works.{place}: {why}")
    kinds = {kind for work in works for kind, _ in work.steps}
    _require(len(kinds) <= KINDS_MAX, f"works: {len(kinds)} kinds of operation")


def check_scores(name: str, scores: Iterable[float]) -> None:
    """Refuse log ratios that none of two rates have.

    Raises
    ------
    ValueError
        The first that is none.
    """
    for score in scores:
        _require(isfinite(score) and abs(score) <= LOG_MAX, f"{name}: {score} is not a score")


def _why_none(work: Work) -> str:
    """Say why nothing executes this; empty where a packet could."""
    names = [work.scope, work.base, *(kind for kind, _ in work.steps),
             *(text for setting in work.settings for text in setting)]  # fmt: skip
    if not (work.scope and work.base.strip()) or any(
        len(name) > NAME_CHARACTERS_MAX or not name.isprintable() for name in names
    ):
        return "a name that cannot be printed, or none"
    counts = [level for name, level in work.settings if name in COUNTS]
    if not all(level.isascii() and level.isdecimal() and len(level) < 10 for level in counts):
        return f"a setting of {' and '.join(COUNTS)} that is not a number"
    kinds = [kind for kind, _ in work.steps]
    if len(set(kinds)) < len(kinds):
        return "a kind of operation is there twice"
    if not all(0 < times <= TIMES_MAX for _, times in work.steps):
        return "a number of operations that cannot be"
    if not (0 <= work.set_bytes <= SET_BYTES_MAX and 0 <= work.unpriced <= TIMES_MAX):
        return "a working set, or a number of other instructions, that cannot be"
    return ""


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise ValueError(what)
