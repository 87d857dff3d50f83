"""Answers of ``linerate fits`` for what is not run: pipelines and rulesets, by their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linerate.errors import bad_input

if TYPE_CHECKING:
    from linerate.face.pipelines import PipelineFits
    from linerate.face.rulesets import RulesetFits

PIPELINE_SUFFIXES = (".spec", ".p4")
RULESET_SUFFIXES = (".nft", ".rules")


def priced(
    program: str, queues: int | None, tables: Sequence[str], hook: str | None, asked: dict[str, Any]
) -> PipelineFits | RulesetFits:
    """Answer for a pipeline or a ruleset; ``asked`` is what both are asked."""
    # Slow to load: not for --help.
    if program.endswith(RULESET_SUFFIXES):
        refuse({"--table": list(tables) or None}, "a pipeline (.spec, .p4)")
        from linerate.face.rulesets import fits_ruleset

        return fits_ruleset(program, hook=hook, queues=queues, **asked)
    refuse({"--hook": hook}, "a ruleset (.nft, .rules)")
    from linerate.face.pipelines import fits_pipeline

    return fits_pipeline(program, tables=tables, lcores=queues, **asked)


def refuse(given: dict[str, object], goes_with: str) -> None:
    """Refuse options that are given and have no meaning for what is asked about."""
    for option, value in given.items():
        if value is not None:
            raise bad_input(option, value, why="it has no meaning here",
                            allowed=f"with {goes_with}", do="leave it out")  # fmt: skip
