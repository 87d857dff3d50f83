"""Which program of an object packets come to first, and at which hook."""

from __future__ import annotations

from collections.abc import Sequence

from linerate.errors import bad_input
from linerate.measure.objects.listing import ObjectListing

_UNKNOWN = "unspec"
"""libbpf's word where a section's name does not tell the type: it becomes that of the hook."""
HOOK_TYPES = {
    "xdp_native": ("xdp", _UNKNOWN),
    "xdp_generic": ("xdp", _UNKNOWN),
    "tc": ("sched_cls", _UNKNOWN),
    "netfilter": ("netfilter", _UNKNOWN),
}
"""Types of program that a datapath can attach."""
ASKED = ("xdp_native", "tc", "netfilter")
"""Datapaths by the kind of their programs, as they are tried where nobody named one."""
_ELSEWHERE = ("/egress", "/devmap", "/cpumap")
"""End of a section whose programs run where packets leave, or behind a redirect."""


def candidates(listing: ObjectListing, datapath: str) -> tuple[str, ...]:
    """Names of the programs that can be the entry, in the object's order."""
    if datapath not in HOOK_TYPES:
        raise bad_input(
            "datapath", datapath, why="it takes no BPF object", allowed=", ".join(HOOK_TYPES),
            do="name one of these",
        )  # fmt: skip
    types = HOOK_TYPES[datapath]
    return tuple(
        program.name
        for program in listing.programs
        if program.type in types and not program.section.endswith(_ELSEWHERE)
    )


def hook_for(listing: ObjectListing, entry: str | None = None, hooks: Sequence[str] = ASKED) -> str:
    """Name the datapath that an object is written for, where nobody named one.

    Parameters
    ----------
    listing
        What the object holds.
    entry
        The program; any of the object's if left out.
    hooks
        Datapaths, in the order in which they are tried.

    Returns
    -------
    The first at which such a program can be attached; the first of all where there is none.
    """
    return next(
        (hook for hook in hooks
         if any(entry in (None, name) for name in candidates(listing, hook))),
        hooks[0],
    )  # fmt: skip


def choose_entry(listing: ObjectListing, datapath: str, entry: str | None = None) -> str:
    """Return the entry that is named, or the only one.

    Raises
    ------
    BadInputError
        None of the programs can be attached there, it is not among them, or it is not clear.
    """
    allowed = candidates(listing, datapath)
    if not allowed:
        raise bad_input(
            "entry", entry or "not named", why=f"the object has no program for {datapath}",
            allowed=f"programs of type {' or '.join(HOOK_TYPES[datapath])}; it has {_all(listing)}",
            do="choose another datapath, or correct the SEC() of the function",
        )  # fmt: skip
    if entry in allowed:
        return entry
    if entry is None and len(allowed) == 1:
        return allowed[0]
    why = (
        "the object has several programs"
        if entry is None
        else f"the object has no such program for {datapath}"
    )
    raise bad_input(
        "entry",
        entry or "not named",
        why=why,
        allowed=", ".join(allowed),
        do="name one of them",
    )


def _all(listing: ObjectListing) -> str:
    programs = (f"{program.name} ({program.type})" for program in listing.programs)
    return ", ".join(programs) or "none"
