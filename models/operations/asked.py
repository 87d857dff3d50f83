"""Operations that a cell is asked about: those of known cost by kind, all others together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from linerate.models.operations.own import RECEIVE, priced_steps
from linerate.models.operations.work import UNPRICED
from linerate.records import Executed

FOLLOWS = ("stalled", "header_copy")
"""Kinds that follow from instructions and are none: they are in what runs of forwarding took."""


def priced(
    executed: Executed, known: frozenset[str] | None, prices: Callable[[str], bool] | None = None
) -> tuple[dict[str, int], str]:
    """Part what a program executes by whether its cost was measured.

    Parameters
    ----------
    executed
        Operations of the longest path, those of forwarding among them.
    known
        Kinds whose cost was measured; None to take all for known.
    prices
        Whether a kind has a cost upon receiving and sending alone; None where that path was not
        measured: then what forwarding takes is in the base path.

    Returns
    -------
    Times by kind, with ``unpriced`` for all kinds of unknown cost, and a sentence about these;
    empty where there are none.
    """
    counts = executed.operations
    if prices is not None:
        steps, strange = priced_steps(tuple(counts.items()), prices)
        more = {UNPRICED: sum(times for _, times in strange)} if strange else {}
        return {RECEIVE: 1, **dict(steps), **more}, note_of(executed.source, dict(strange))
    if known is None:
        return dict(counts), ""
    counts = {kind: times for kind, times in counts.items() if kind not in FOLLOWS}
    others = {
        kind: times - executed.forward.get(kind, 0) for kind, times in counts.items()
        if kind not in known and times > executed.forward.get(kind, 0)
    }  # fmt: skip
    by_kind = {kind: times for kind, times in counts.items() if kind in known}
    return by_kind | ({UNPRICED: sum(others.values())} if others else {}), note_of(
        executed.source, others
    )


def note_of(source: str, others: Mapping[str, int]) -> str:
    """Say of which kinds no cost was measured; nothing where there are none."""
    if not others:
        return ""
    named = ", ".join(f"{times} {kind}" for kind, times in others.items())
    return (f"{source}: no cost was measured of {named}: each counts as between 0 and the "
            "most expensive arithmetic operation")  # fmt: skip
