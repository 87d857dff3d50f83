"""The colours of all figures: each has one meaning, and tells its neighbours apart in grey too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

PATHS = {
    "xdp_native": "#0b3c6f", "xdp_generic": "#b8450a", "af_xdp": "#35a98a", "tc": "#e8b93c",
    "raw_socket": "#7a1f4f",
}  # fmt: skip
"""Hooks and functions that packets pass, by datapath or by what runs a chain's functions."""
AMOUNTS = ("#cbbce6", "#a68fd0", "#7d5fb2", "#52308a", "#240d47")
"""From little to much: frame sizes, accesses, operations; of a distribution, from its middle on."""
CONDITIONS = ("#1f2205", "#8a8f2e", "#6b4423", "#c9b37c")
"""Whatever else a figure compares: kinds, settings, loads, models, ends; its key names them."""
SURE = ("#ffffff", "#0f6b56")
"""Probability of line rate, from 0 to 1."""
INK = "#333333"
"""Of a model that has no mark's colour, and of keys that name a mark whatever its colour."""
GREY = "#7f7f7f"
"""Line rate, bands of noise, and what is ideal: nothing that was measured or fitted."""


def amounts(count: int) -> tuple[str, ...]:
    """Colours of so many amounts in ascending order.

    >>> amounts(1), amounts(2)
    (('#240d47',), ('#cbbce6', '#240d47'))
    """
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    if count == 1:
        return (AMOUNTS[-1],)
    ramp = LinearSegmentedColormap.from_list("amounts", AMOUNTS)
    return tuple(to_hex(ramp(float(share))) for share in np.linspace(0.0, 1.0, count))


def path_colours(names: Iterable[str], spare: Sequence[str] = CONDITIONS) -> tuple[str, ...]:
    """Colours of paths by their datapaths; one that has none, or a second program, takes a spare.

    >>> path_colours(["xdp_native", "xdp_native", "own"])
    ('#0b3c6f', '#1f2205', '#8a8f2e')
    """
    found: list[str] = []
    for name in names:
        own = PATHS.get(name)
        taken = sum(colour in spare for colour in found)
        found.append(own if own and own not in found else spare[taken % len(spare)])
    return tuple(found)
