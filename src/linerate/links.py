"""The link of a question: of one that names none, and what can be none."""

from __future__ import annotations

from linerate.errors import bad_input

LINK_GBPS = 10.0
"""Gbit/s. Not in ``units``: a command has it as a default, and numpy is slow to load."""


def check_link(link_gbps: float) -> None:
    """Refuse a link without a rate; one without end is not a limit.

    Raises
    ------
    BadInputError
        It is none.
    """
    if not link_gbps > 0.0:  # nan, too
        raise bad_input("link_gbps", link_gbps, why="a link has a rate", allowed="above 0",
                        do="correct it")  # fmt: skip
