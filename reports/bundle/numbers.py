"""Whether two model files hold the same numbers, and where they do not."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pydantic_core import from_json

TOLERANCE = 1e-6
"""Relative, of a model's numbers: another processor adds in another order."""
OF_THE_FIT = ("provenance", "schema_version")
"""Parts of a model file that say when and by what it was fitted."""


def differing_numbers(kept: bytes, made: bytes) -> list[str]:
    """Name the places of two model files whose values are not the same.

    Parameters
    ----------
    kept, made
        What is in the bundle, and what was fitted again, both JSON.

    Raises
    ------
    ValueError
        One of them is not JSON object.
    """
    one, other = (_places(content) for content in (kept, made))
    return sorted(place for place in one.keys() | other.keys()
                  if not _alike(one.get(place), other.get(place)))  # fmt: skip


def _places(content: bytes) -> dict[str, object]:
    found = from_json(content)
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return {place: value for key in found if key not in OF_THE_FIT
            for place, value in _leaves(found[key], key)}  # fmt: skip


def _leaves(tree: object, place: str) -> Iterator[tuple[str, object]]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(value, f"{place}.{key}")
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from _leaves(value, f"{place}[{number}]")
    else:
        yield place, tree


def _alike(kept: object, made: object) -> bool:
    if isinstance(kept, float | int) and isinstance(made, float | int):
        try:
            return math.isclose(kept, made, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        except OverflowError:  # a whole number beyond what a double holds
            return kept == made
    return kept == made
