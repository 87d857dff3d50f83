"""Mixes, chains and filters on the command line: what is asked of them, and how they did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from linerate.cli.output import stderr
from linerate.columns import KNOWN, SETTINGS
from linerate.errors import bad_input
from linerate.measure.swx.paths import longest_path
from linerate.measure.swx.program import SwxProgram
from linerate.measure.swx.spec_file import parse_spec, read_spec
from linerate.measure.swx.spec_text import spec_text
from linerate.models.mixes import MixPredictor
from linerate.models.mixes.work import UNPRICED

SPEC = ".spec"
ASKABLE = (*SETTINGS, "flows")
"""Columns that ``--setting`` may name."""


def asked_columns(
    operations: str | None, settings: Sequence[str], mixes: MixPredictor | None
) -> dict[str, object]:
    """Columns of a cell by what was asked of it beside its factors.

    Parameters
    ----------
    operations
        ``table_exact=5,add=10``, or a pipeline's ``.spec``; None to name none.
    settings
        ``NAME=VALUE`` each.
    mixes
        What is known; None where the model has no costs of steps.

    Raises
    ------
    BadInputError
        Not of that form, or no such setting.
    """
    columns: dict[str, object] = {}
    for asked in settings:
        name, _, value = asked.partition("=")
        if name not in ASKABLE or not value or name == "operations":
            raise bad_input(
                "setting", asked, why="no setting and its value",
                allowed="NAME=VALUE of " + ", ".join(ASKABLE[1:]), do="correct it",
            )  # fmt: skip
        columns[name] = _value(name, value)
    if operations is not None:
        spec = operations.endswith(SPEC)
        counts = _of_spec(Path(operations), mixes) if spec else _counts(operations)
        columns["operations"] = json.dumps(counts)
    return columns


def _value(name: str, value: str) -> object:
    if KNOWN[name].kind == "flag":
        return value == "true"
    try:
        return float(value) if KNOWN[name].kind in ("count", "number") else value
    except ValueError as error:
        raise bad_input("setting", f"{name}={value}", why="no number", allowed="a number",
                        do="correct it") from error  # fmt: skip


def _counts(operations: str) -> dict[str, int]:
    """Read ``kind=times`` pairs.

    >>> _counts("table_exact=5, add=10")
    {'table_exact': 5, 'add': 10}
    """
    found = {}
    for pair in filter(None, operations.replace(" ", "").split(",")):
        kind, _, times = pair.partition("=")
        if not times.isdecimal() or not kind:
            raise bad_input("operations", pair, why="no kind and its number",
                            allowed="KIND=TIMES,... or a .spec file", do="correct it")  # fmt: skip
        found[kind] = int(times)
    return found


def _of_spec(path: Path, mixes: MixPredictor | None) -> dict[str, int]:
    """Operations of the longest path through a pipeline; those of unknown cost are told.

    What the generated pipeline that only forwards executes is in the base path.
    """
    counts = dict(longest_path(read_spec(path)).operations)
    known = mixes.kinds if mixes else frozenset(counts)
    forward = dict(longest_path(parse_spec(spec_text(SwxProgram()))).operations)
    others = {kind: times - forward.get(kind, 0) for kind, times in counts.items()
              if kind not in known and times > forward.get(kind, 0)}  # fmt: skip
    if others:
        named = ", ".join(f"{times} {kind}" for kind, times in others.items())
        stderr.print(f"{path}: no cost is known of {named}: each is taken for something between "
                     "nothing and the dearest arithmetic", markup=False)  # fmt: skip
    priced = {kind: times for kind, times in counts.items() if kind in known}
    return priced | ({UNPRICED: sum(others.values())} if others else {})
