"""Test runs of pipelines and rulesets that are asked about, where this machine may and can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from linerate.errors import LinerateError
from linerate.face.fits.followed import Asked
from linerate.face.fits.notes import note_of_run, why_not
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.datapaths.filters.own.test_run import (
    RulesetRun,
    time_ruleset,
    why_not_run,
)
from linerate.measure.datapaths.swx.test_run import time_pipeline
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.rulesets.follow import PASSED, Followed, shares_at
from linerate.programs.pipeline_paths import PipelineTraffic
from linerate.progress import telling

OTHERWISE = 0.01
"""Share of the packets from which on it is said that they came elsewhere than they were followed
to."""


def run_pipeline(
    asked: Asked, load: PipelineTraffic, *, progress: bool
) -> tuple[PipelineTraffic, str]:
    """Run a pipeline on its frames, and say what came of it.

    Parameters
    ----------
    asked
        The question, about frames.
    load
        Their ways; it comes back as it is where the pipeline cannot run.
    progress
        Whether to show a bar.
    """
    assert asked.frames is not None, "who is asked about no frames cannot run"
    if asked.tables is None and asked.fillable:
        return load, f"not run: --table says what it finds in {', '.join(asked.fillable)}"
    try:
        with telling(shown=progress) as tell:
            ran_ns = time_pipeline(asked.program, asked.frames, tell)
    except LinerateError as error:
        return load, why_not(error)
    return replace(load, ran_ns=ran_ns), note_of_run(ran_ns)


def run_ruleset(
    tested: RulesetUnderTest, frames: Frames, ways: Sequence[Followed], *, progress: bool
) -> tuple[RulesetRun | None, tuple[str, ...]]:
    """Run a ruleset on frames, and say what came of it.

    Parameters
    ----------
    tested, frames
        What runs on what.
    ways
        Those that frames were followed on.
    progress
        Whether to show a bar.

    Returns
    -------
    None and why where the ruleset cannot run.
    """
    if why := why_not_run(tested, frames):
        return None, (f"not run: {why}",)
    try:
        with telling(shown=progress) as tell:
            run = time_ruleset(tested, frames, tell)
    except LinerateError as error:
        return None, (why_not(error),)
    otherwise = _otherwise(shares_at(ways, tested.last), run.came)
    return run, (note_of_run(run.ran_ns), *otherwise)


def _otherwise(followed: Mapping[str, float], came: Mapping[str, float]) -> tuple[str, ...]:
    """Say where packets came that their ways do not lead to, or did not where these lead."""
    off = [f"{came[name]:.0%} {_place(name)} and not {share:.0%}"
           for name, share in followed.items() if abs(came[name] - share) > OTHERWISE]  # fmt: skip
    if not off:
        return ()
    return (f"packets came otherwise than they were followed: {', '.join(off)}; the time is that "
            "of the packets as they came",)  # fmt: skip


def _place(name: str) -> str:
    return "through all of it" if name == PASSED else f"to {name}"
