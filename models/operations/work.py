"""What a packet executes: a base path, settings that change it, and steps on top."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

Setting = tuple[str, str]
Operations = tuple[tuple[str, int], ...]
"""Pairs (kind, times a packet), by kind."""


STRAIGHT = ("swx",)
"""Scopes whose programs are straight code: kinds take turns, and many operations do not cost what
one does. Elsewhere one kind follows the other, each in a loop that costs the same every time."""


QUEUES = re.compile(r"[1-9]\d{0,5}", re.ASCII)
"""What a setting says of them."""
TIMES_MAX = 10**9
"""Of one kind in a packet: that many take seconds."""
UNPRICED = "unpriced"
"""Name that instructions of unknown cost have among the operations of a cell that is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one packet of a cell goes through."""

    scope: str
    """Where steps of one name cost the same: a datapath, or ``filter`` for all hooks of those."""
    base: str
    """Name of its base path within the scope."""
    settings: tuple[Setting, ...] = ()
    """Pairs (setting, level) that are not the usual ones."""
    steps: Operations = ()
    """Pairs (kind, times) of what is executed on top, by kind; each kind once."""
    set_bytes: int = 0
    """Memory that the lookups of a kind range over; 0 for what a first-level cache holds."""
    unpriced: int = 0
    """Instructions beside the base path and the steps, whose cost nothing tells."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of its steps."""
        return frozenset(kind for kind, _ in self.steps)

    @property
    def queues(self) -> int:
        """Cores that execute it at once, 1 where no setting says a number of them.

        >>> Work(scope="xdp_native", base="operations", settings=(("queues", "2"),)).queues
        2
        """
        level = dict(self.settings).get("queues", "")
        return int(level) if QUEUES.fullmatch(level) else 1

    def by_class(self) -> dict[str, Operations]:
        """Put steps together that are of one class."""
        found: dict[str, Operations] = {}
        for kind, times in self.steps:
            name = class_of(kind)
            found[name] = (*found.get(name, ()), (kind, times))
        return found

    def __str__(self) -> str:
        steps = " + ".join(f"{times} {kind}" for kind, times in self.steps) or "no steps"
        beside = [f"{name} {level}" for name, level in self.settings]
        memory = [f"over {self.set_bytes} B"] if self.set_bytes else []
        unpriced = [f"{self.unpriced} other instructions"] if self.unpriced else []
        return ", ".join([f"{self.scope}/{self.base}", steps, *unpriced, *memory, *beside])


CHAINED = ("add", "subtract", "shift_left", "shift_right")
FOLDED = ("and", "or", "xor")
CLASSES = {
    **{name + bits: "chained_arithmetic" for name in CHAINED for bits in ("", "_16")},
    **{name + bits: "folded_arithmetic" for name in FOLDED for bits in ("", "_16")},
    **dict.fromkeys(("hash_crc32", "hash_jhash"), "hash_of_header"),
    **dict.fromkeys(("pass_number", "entry_number"), "move"),
    "invalidate": "validate", "checksum_subtract": "checksum_add", "forget": "rearm",
    "meter_prefetch": "register_prefetch", "table_keyless": "table_keyless",
}  # fmt: skip
"""Class of kinds whose first words do not name one: arithmetic of which each step needs the one
before, that which a C compiler folds into one mask where it is repeated, hashes, for which a
packet's fields are copied once, and what does nearly the same as another kind. A table without a
key looks nothing up."""
FILTER_PLACE = re.compile(r"(.+)_(stack|driver|program|rules)(?:_(\w+))?")
"""A filter, what runs it (the network stack or a driver's hook) or what it is, and more of that."""
EVALUATED_BY = {"nftables": "nft", "iptables_nft": "nft", "iptables_legacy": "legacy"}
"""What evaluates the rules of these parts of the stack; all others run a program."""
TABLE = re.compile(r"(table_[a-z]+?)(_\d+)?(_miss)?")
"""A search in a table: how it matches, how long its keys are, and whether it finds nothing."""
STEPS = re.compile(r"(table_[a-z]+)_(\d{1,3})_steps")
"""A search that finds something: how it matches, and the steps that it takes."""
FURTHER_STEP = "table_step"
"""What each step of a search takes after its first."""
OF_TWO_STEPS = "table_wildcard_16"
"""A search as it is generated, of a key of 16 bytes of which entries look at the last four."""
FOUND_NOTHING = "table_miss"
"""What all searches that find nothing differ by from those that do: no action runs on an entry."""
PREFIXES = ("register_read", "register_write", "register_add", "table", *CHAINED, *FOLDED)
"""First words of the other classes, and of arithmetic of any width."""


def class_of(kind: str) -> str:
    """Class of kinds that are alike, the kind itself where there is none.

    >>> class_of("add_48"), class_of("register_read_32"), class_of("tail_call")
    ('chained_arithmetic', 'register_read', 'tail_call')
    """
    if kind in CLASSES:
        return CLASSES[kind]
    if found := FILTER_PLACE.fullmatch(kind):
        return found[1]
    first = next((prefix for prefix in PREFIXES if kind.startswith(prefix + "_")), kind)
    return CLASSES.get(first, first)


def differing(kind: str) -> tuple[str, ...]:
    """Name what a kind differs by from its class, the coarser first.

    A filter differs by whether the stack runs it, by whether it is a program or rules, by what
    evaluates these, and by which part of the stack it stands in. A search in a table differs by
    how it matches, then by its keys, and, if it finds nothing, by that: what was not measured costs
    what it does elsewhere. Steps of a search after its first are named each.

    >>> differing("add_48"), differing("tail_call"), differing("drop_udp_stack_tc")
    (('add_48',), (), ('drop_udp_stack', 'drop_udp_program', 'drop_udp_stack_tc'))
    >>> differing("drop_udp_stack_nftables")[1:]
    ('drop_udp_rules', 'drop_udp_rules_nft', 'drop_udp_stack_nftables')
    >>> differing("table_exact_8"), differing("table_lpm_miss")
    (('table_exact', 'table_exact_8'), ('table_lpm', 'table_miss', 'table_lpm_miss'))
    >>> differing("table_lpm_3_steps")
    ('table_lpm', 'table_step', 'table_step')
    """
    if kind == class_of(kind):
        return ()
    if found := FILTER_PLACE.fullmatch(kind):
        evaluated_by = EVALUATED_BY.get(found[3] or "")
        forms = ("rules", f"rules_{evaluated_by}") if evaluated_by else ("program",)
        names = (f"{found[1]}_{name}" for name in (found[2], *forms))
        return tuple(dict.fromkeys((*names, kind)))
    if kind == OF_TWO_STEPS:
        return ("table_wildcard", FURTHER_STEP)
    if found := STEPS.fullmatch(kind):
        return (found[1], *[FURTHER_STEP] * (int(found[2]) - 1))
    if found := TABLE.fullmatch(kind):
        match, searched = found[1], found[1] + (found[2] or "")
        searched = FURTHER_STEP if searched == OF_TWO_STEPS else searched
        nothing = (FOUND_NOTHING,) if found[3] else ()
        return tuple(dict.fromkeys((match, searched, *nothing, kind)))
    return (kind,)


def operations_in(text: str) -> Operations | None:
    """Read the pairs (kind, times) of a row; None where they cannot be read.

    >>> operations_in('{"b": 2, "a": 1}'), operations_in("{}"), operations_in("no JSON")
    ((('a', 1), ('b', 2)), (), None)
    >>> operations_in('{"a": 1e999}') is operations_in('{"a": 1000000000000}') is None
    True
    """
    try:
        asked = {kind: int(times) for kind, times in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    if any(times > TIMES_MAX for times in asked.values()):
        return None
    return tuple(sorted((kind, times) for kind, times in asked.items() if times > 0))
