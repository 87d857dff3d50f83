"""What a packet finds in a table: by the table alone, by its entries, or by the packet itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linerate.measure.datapaths.swx.spec.following.filled import Args, Filled
from linerate.measure.datapaths.swx.spec.following.packet import Packet
from linerate.measure.datapaths.swx.spec.spec import Spec, Table

Entries = Mapping[str, Filled]


class Outcome(NamedTuple):
    """One thing that may be found."""

    action: str
    hit: bool
    share: float
    """Of the packets that come to the table."""
    args: Args | None = None
    """None where they are not known."""


def outcomes(
    spec: Spec, name: str, packet: Packet, entries: Entries | None, *, misses: bool
) -> list[Outcome]:
    """List what a packet may find.

    Parameters
    ----------
    spec, name
        The table.
    packet
        Who looks; one whose bytes are known finds one entry.
    entries
        Of all tables, where they are known: one without any always misses. A learner knows every
        flow by then.
    misses
        Whether a table whose entries are not known may miss.
    """
    table = spec.tables[name]
    miss = Outcome(table.default_action, False, 1.0, table.default_args)
    if not table.key or not table.entry_actions:
        return [miss]
    learned = _learned(spec, table)
    if table.learns and not learned and _learns(spec, table):
        return [miss]
    if entries is None or table.learns:
        hits = [(action, True) for action in learned or table.entry_actions]
        if misses and entries is None:
            hits.append((table.default_action, False))
        return [Outcome(action, hit, 1.0 / len(hits)) for action, hit in hits]
    own = entries.get(name)
    if own is None or not own.entries:
        return [miss]
    key = tuple(packet.value(field) for field, _ in table.key) if packet.frame else (None,)
    known = tuple(value for value in key if value is not None)
    if len(known) < len(key):
        return [Outcome(action, True, share) for action, share in own.actions.items()]
    found = own.find(known)
    return [miss if found is None else Outcome(found.action, True, 1.0, found.args)]


def _learned(spec: Spec, table: Table) -> tuple[str, ...]:
    """Actions that a learner's entries name: those that some action of it learns and keeps."""
    kept = {learned for action, _ in table.actions for learned in _kept(spec, action)}
    return tuple(action for action in table.entry_actions if table.learns and action in kept)


def _kept(spec: Spec, action: str) -> set[str]:
    """Actions that an action learns, and does not forget again; with jumps, on any way."""
    kept: set[str] = set()
    code = spec.actions[action].instructions
    branches = any(each.name.startswith("jmp") for each in code)
    for each in code:
        if each.name == "learn":
            kept = {each.operands[0]} | (kept if branches else set())
        elif each.name == "forget" and not branches:
            kept = set()
    return kept


def _learns(spec: Spec, table: Table) -> bool:
    return any(each.name == "learn" for action, _ in table.actions
               for each in spec.actions[action].instructions)  # fmt: skip
