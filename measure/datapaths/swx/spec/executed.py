"""What a packet executes in a pipeline that is only read, not run."""

from __future__ import annotations

from pathlib import Path

from linerate.measure.datapaths.swx.spec.file import parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.following.paths import longest_path
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.records import Executed


def executed_by(path: Path) -> Executed:
    """Count the operations of the longest path through a ``.spec``.

    Raises
    ------
    BadInputError
        Not a pipeline that DPDK takes, or one that no packet leaves.
    """
    return Executed(
        source=str(path), operations=dict(longest_path(read_spec(path)).operations),
        forward=dict(longest_path(parse_spec(spec_text(SwxProgram()))).operations),
    )  # fmt: skip
