"""Operations of a packet, as a table holds them and as a report names them."""

from __future__ import annotations

from linerate.models.operations.work import Operations, operations_in


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
