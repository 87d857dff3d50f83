"""Generators of others that the nic lab can use on a generator host; both are optional."""

from __future__ import annotations

from linerate.measure.generators.external.usual_paths import MOONGEN, TREX, TREX_API
from linerate.measure.system.check import Finding
from linerate.measure.system.machine import Machine


def moongen(machine: Machine) -> Finding:
    """Check for MoonGen's program."""
    there = machine.path(str(MOONGEN).lstrip("/")).is_file()
    return Finding(
        name="moongen",
        ok=there,
        detail=str(MOONGEN) if there else f"no {MOONGEN}; a campaign may name another place",
        why='generator host: generator = "moongen"; optional',
        remedy=f"clone github.com/emmericp/MoonGen into {MOONGEN.parents[1]}, ./build.sh there",
    )


def trex(machine: Machine) -> Finding:
    """Check for TRex's Python client, which talks to its server."""
    there = machine.path(str(TREX / TREX_API / "trex").lstrip("/")).is_dir()
    return Finding(
        name="trex",
        ok=there,
        detail=str(TREX) if there else f"no {TREX / TREX_API}; a campaign may name another place",
        why='generator host: generator = "trex"; optional',
        remedy=f"unpack a release of trex-tgn.cisco.com into {TREX}, and start ./t-rex-64 -i there",
    )
