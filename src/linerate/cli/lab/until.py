"""``linerate measure --until-error``: the bound, as it is typed."""

from __future__ import annotations

from linerate.errors import bad_input

ERROR_MIN, ERROR_MAX = 0.001, 1.0


def error_ratio(text: str) -> float:
    """Read a bound such as ``5%``.

    >>> error_ratio("5%")
    0.05
    """
    try:
        ratio = float(text.removesuffix("%").strip()) / 100.0
    except ValueError:
        ratio = float("nan")
    if not text.endswith("%") or not ERROR_MIN <= ratio <= ERROR_MAX:
        raise bad_input("until-error", text, why="not a bound on an error in percent",
                        allowed=f"{ERROR_MIN:.1%} to {ERROR_MAX:.0%}, as 5%",
                        do="write it as a percentage")  # fmt: skip
    return ratio
