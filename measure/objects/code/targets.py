"""Where a program's redirects go, as its calls and the maps that were filled show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.listing import ObjectListing

BY_MAP = "redirect_map"
REDIRECTING = (BY_MAP, "redirect", "redirect_neigh", "redirect_peer")
"""Helpers that say where a redirected packet goes."""
_UNKNOWN = ""
"""Instead of a map's name, where the code does not show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCpus:
    """CPUs to whose queues a program redirects packets."""

    cpus: int
    """Filled entries of its maps of CPUs; 0 where it redirects by none."""
    takes_all: bool
    """Whether all that it redirects goes there."""


def other_cpus(
    path: Path, program: str, listing: ObjectListing, filled: Mapping[str, int]
) -> OtherCpus:
    """Find the CPUs that a program hands packets to.

    Parameters
    ----------
    path, program, listing
        The object and the name of its program.
    filled
        By map, entries that were put into it.

    Raises
    ------
    BadInputError
        The file is not a BPF object, or its symbols do not have the program.
    """
    calls = [call for call in read_code(path, program, listing).calls if call.helper in REDIRECTING]
    names = {call.map_name for call in calls if call.helper == BY_MAP}
    queues = {
        table.name: filled[table.name] for table in listing.maps
        if table.type == "cpumap" and filled.get(table.name) and names & {table.name, _UNKNOWN}
    }  # fmt: skip
    return OtherCpus(
        cpus=sum(queues.values()), takes_all=all(call.map_name in queues for call in calls)
    )
