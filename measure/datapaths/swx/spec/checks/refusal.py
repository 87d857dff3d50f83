"""The error of one instruction of a pipeline."""

from __future__ import annotations

from linerate.errors import BadInputError, bad_input
from linerate.measure.datapaths.swx.spec.spec import Instruction, Spec


def refuse(
    spec: Spec, each: Instruction, why: str, allowed: str, do: str = "correct it"
) -> BadInputError:
    """Build the error of one instruction."""
    return bad_input(
        f"{spec.source}:{each.line}", " ".join((each.name, *each.operands)), why=why,
        allowed=allowed, do=do,
    )  # fmt: skip
