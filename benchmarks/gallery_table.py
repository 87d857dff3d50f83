"""The table that a gallery was made of, with machine and hour in its first line, read again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from linerate.errors import BadInputError, bad_input

BYTES_MAX = 1024**2
NUMBERS = ("predicted_ns", "measured_ns", "spread", "error", "by_hand", "by_repeat", "inside",
           "runs")  # fmt: skip
TIMES = ("predicted_ns", "measured_ns", "runs")
"""Columns in which nothing is too little."""
Text = Annotated[str, Field(max_length=200, pattern=r"^[\x20-\x7e]*$")]
Count = Annotated[int, Field(ge=1, le=10**6)]


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid", strict=True))
class Facts:
    """When and where a gallery was measured."""

    date: Text
    rounds: Count
    queues: Count
    only: Annotated[list[Text], Field(max_length=1000)] = Field(default_factory=list)
    """Programs that were asked for; empty for all."""
    cores: Count
    cpu_model: Text
    kernel: Text
    virtual: Text
    load: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    minutes: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


_FACTS = TypeAdapter(Facts)


def read_kept(
    path: Path, programs: Collection[str], hooks: Collection[str]
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Read a table that was kept.

    Parameters
    ----------
    path
        As a gallery wrote it.
    programs
        Names that it may have.
    hooks
        Datapaths that it has of each program and traffic.

    Returns
    -------
    What is known of machine and hour, and a row for each program, traffic and hook.

    Raises
    ------
    BadInputError
        It is none, with why.
    """
    if path.stat().st_size > BYTES_MAX:
        raise _refused(path, f"it has {path.stat().st_size} bytes")
    try:
        with path.open(encoding="utf-8") as file:
            facts = _FACTS.validate_json(file.readline().removeprefix("# "))
            found = pd.read_csv(file)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise _refused(path, f"its first line: {place}: {first['msg']}") from error
    except (ValueError, OSError, pd.errors.ParserError, RecursionError) as error:
        raise _refused(path, str(error).partition("\n")[0]) from error
    if why := _why_none(found, programs, hooks):
        raise _refused(path, why)
    return dict(facts.__dict__), found


def _why_none(found: pd.DataFrame, programs: Collection[str], hooks: Collection[str]) -> str:
    """Say why rows make no page; empty where they do."""
    cell = ["program", "traffic", "datapath"]
    missing = [name for name in (*cell, *NUMBERS) if name not in found.columns]
    if missing or found.empty:
        return f"no column {missing[0]}" if missing else "no rows"
    strange = [name for name in NUMBERS if not pd.api.types.is_numeric_dtype(found[name])]
    if strange:
        return f"{strange[0]} is not a number in each row"
    numbers = found[list(NUMBERS)].to_numpy(dtype=np.float64)
    if not (np.isfinite(numbers).all() and (np.abs(numbers) < 1e12).all()):
        return "a number that is none, or too large"
    if (found[list(TIMES)] <= 0).to_numpy().any():
        return "a time of nothing"
    others = sorted(set(map(str, found["program"])) - set(programs))
    if others:
        return f"no program of bpf/examples is called {others[0][:100]!r}"
    by = found.groupby(["program", "traffic"], dropna=False)["datapath"]
    if not all(sorted(map(str, own)) == sorted(hooks) for _, own in by):
        return f"not each program and traffic has a row of each of {', '.join(hooks)}"
    return ""


def _refused(path: Path, why: str) -> BadInputError:
    return bad_input("--kept", path, why=f"it is not a table of a gallery ({why})",
                     allowed="docs/gallery.csv as it was written",
                     do="fetch it anew, or measure again")  # fmt: skip
