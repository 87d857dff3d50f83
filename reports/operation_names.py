"""Operations of a packet, as a table holds them and as a reader is told of them."""

from __future__ import annotations

import json

from linerate.models.additivity import Operations


def operations_in(text: str) -> Operations | None:
    """Read the pairs (kind, times) of a row; None where they cannot be read.

    >>> operations_in('{"b": 2, "a": 1}'), operations_in("{}"), operations_in("no JSON")
    ((('a', 1), ('b', 2)), (), None)
    """
    try:
        asked = {kind: int(times) for kind, times in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        return None
    return tuple(sorted((kind, times) for kind, times in asked.items() if times > 0))


def mix_name(operations: Operations) -> str:
    """Name a mix.

    >>> mix_name((("add", 100), ("register_read_32", 50)))
    '100 add + 50 register_read_32'
    """
    return " + ".join(f"{times} {kind}" for kind, times in operations)


def short_kind(kind: str) -> str:
    """Name a kind in the room of a key.

    >>> short_kind("register_read_32 + register_write_32")
    'read_32 + write_32'
    """
    return kind.replace("register_", "")


def operations_text(text: str) -> str:
    """Name the operations of a row in few words; nothing for none.

    >>> operations_text('{"register_read_32": 50, "add": 100}')
    '100 add + 50 read_32'
    """
    operations = operations_in(text)
    return text if operations is None else short_kind(mix_name(operations))
