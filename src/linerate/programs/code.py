"""What the listing of a user's program holds: calls of the kernel's helpers, and loops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HelperCall:
    """One place where a program calls the kernel."""

    helper: str
    """As ``bpf_helpers.h`` has it, without ``bpf_``."""
    map_name: str = ""
    """Of the table that it is called on; empty where there is none, or the listing does not say."""
    map_type: str = ""
    """libbpf's word, such as ``lru_hash``."""
    entries_max: int = 0
    """As in the source."""
    line: int = 0
    """Of the source; 0 where the object does not say."""
    text: str = ""
    """That line."""
    in_loop: bool = False
    """Whether it may be called several times for a packet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCode:
    """A program, with the functions that it calls."""

    program: str
    instructions: int
    """As compiled; a packet need not take them all."""
    loops: int
    """Jumps backwards, and functions that are called again and again."""
    calls: tuple[HelperCall, ...]
