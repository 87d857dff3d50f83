"""What is found in tables that have entries, as DPDK finds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.spec import Spec

Args = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a table."""

    values: tuple[int, ...]
    masks: tuple[int, ...]
    """Bits of each value that count."""
    priority: int
    """The smallest wins."""
    action: str
    args: Args
    """Pairs (argument, value)."""


@dataclass(frozen=True, kw_only=True)
class Filled:
    """A table's entries."""

    entries: tuple[Entry, ...]

    @cached_property
    def actions(self) -> Mapping[str, float]:
        """Share of the entries that name each action."""
        counts = Counter(entry.action for entry in self.entries)
        return {action: count / len(self.entries) for action, count in counts.items()}

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """Bits of each field that count in some entry."""
        return tuple(reduce(or_, masks) for masks in zip(*(entry.masks for entry in self.entries),
                                                         strict=True))  # fmt: skip

    @cached_property
    def _by_mask(self) -> list[tuple[tuple[int, ...], dict[tuple[int, ...], Entry]]]:
        """Entries by what of them counts: so many looks find one, however many entries."""
        found: dict[tuple[int, ...], dict[tuple[int, ...], Entry]] = {}
        for entry in sorted(self.entries, key=lambda entry: -entry.priority):
            found.setdefault(entry.masks, {})[entry.values] = entry
        return list(found.items())

    def find(self, key: tuple[int, ...]) -> Entry | None:
        """Find the entry that a key hits.

        >>> coarse = Entry(values=(0,), masks=(0,), priority=2, action="a", args=())
        >>> fine = Entry(values=(16,), masks=(0xF0,), priority=1, action="b", args=())
        >>> table = Filled(entries=(coarse, fine))
        >>> [table.find((value,)).action for value in (5, 17)]
        ['a', 'b']
        """
        hits = [
            entries[masked]
            for masks, entries in self._by_mask
            if (masked := tuple(value & mask for value, mask in zip(key, masks, strict=True)))
            in entries
        ]
        return min(hits, key=lambda entry: entry.priority, default=None)


def filled(spec: Spec, table: str, text: str) -> Filled:
    """Read entries that were checked, as `read_entries` writes them."""
    key = spec.tables[table].key
    widths = [spec.bits(field) or 0 for field, _ in key]
    is_lpm = any(match == "lpm" for _, match in key)
    return Filled(entries=tuple(_entry(line.split(), widths, is_lpm) for line in text.splitlines()))


def _entry(words: list[str], widths: list[int], is_lpm: bool) -> Entry:
    values, masks = [], []
    for word, bits in zip(words[1 : 1 + len(widths)], widths, strict=True):
        value, _, mask = word.partition("/")
        masks.append(_number(mask) if mask else (1 << bits) - 1)
        values.append(_number(value) & masks[-1])
    rest = words[1 + len(widths) :]
    priority = -sum(mask.bit_count() for mask in masks) if is_lpm else 0
    if rest[0] == "priority":
        priority, rest = (priority if is_lpm else _number(rest[1])), rest[2:]
    _, action, *args = rest
    pairs = zip(args[::2], map(_number, args[1::2]), strict=True)
    return Entry(values=tuple(values), masks=tuple(masks), priority=priority, action=action,
                 args=tuple(pairs))  # fmt: skip


def _number(word: str) -> int:
    return number_of(word) or 0


Find = Callable[[str], Filled | None]
