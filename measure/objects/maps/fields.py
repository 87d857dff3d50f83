"""Tables of a maps file, taken for what they should be."""

from __future__ import annotations

from collections.abc import Sequence

from linerate.measure.objects.maps.values import refused


def table_of(where: str, fields: object) -> dict[str, object]:
    """Take a table.

    Raises
    ------
    BadInputError
        It is none.
    """
    if not isinstance(fields, dict):
        raise refused(
            where, fields, "it is not a table", "a table; docs/objects/inputs.md shows one"
        )
    return fields


def check_keys(where: str, fields: dict[str, object], allowed: Sequence[str]) -> None:
    """Refuse keys that mean nothing."""
    unknown = [key for key in fields if key not in allowed]
    if unknown:
        raise refused(where, unknown[0], "there is no such key", ", ".join(allowed))


def whole_number(
    where: str, fields: dict[str, object], key: str, otherwise: int | None, *bounds: int
) -> int | None:  # fmt: skip
    """Take a whole number between two bounds, or what it is where it is left out."""
    lowest, highest = bounds
    value = fields.get(key, otherwise)
    if key not in fields:
        return otherwise
    if type(value) is not int or not lowest <= value <= highest:
        raise refused(f"{where}.{key}", value, "it cannot be so",
                      f"a whole number {lowest}..{highest}")  # fmt: skip
    return value
