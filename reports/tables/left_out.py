"""Why a figure or a table of the page cannot be made."""

from __future__ import annotations

from dataclasses import dataclass

from linerate.reports.language import message


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What cannot be made of these runs."""

    why: str
    """A message of the catalogue."""


NO_RUNS = LeftOut(why=message("no run of the table offers line rate and can be used for capacity"))
NO_MODEL = LeftOut(why=message("no model could be fitted"))
