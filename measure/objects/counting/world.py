"""What helpers reach besides the path's own memory, and what was assumed of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from linerate.measure.objects.counting.context import XDP, Hook
from linerate.measure.objects.counting.tables import Start


@dataclass(slots=True, kw_only=True)
class World:
    """What helpers reach besides the path's own memory."""

    tables: Mapping[str, Start]
    hook: Hook = XDP
    notes: dict[str, None] = field(default_factory=dict)
    """What was assumed, in the order in which it came up."""
    keys: dict[str, set[bytes | None]] = field(default_factory=dict)
    """By which each map was looked up; None where that was not known."""
    no_program: dict[str, None] = field(default_factory=dict)
    """Slots of tables whose program was called where there is none."""

    def forget(self) -> None:
        """Begin anew, as packets come that stand for all."""
        self.notes.clear()
        self.keys.clear()
        self.no_program.clear()

    def assume(self, words: str) -> None:
        """Keep an assumption, once."""
        self.notes.setdefault(words)
