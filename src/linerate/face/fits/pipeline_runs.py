"""Test runs of a pipeline that is asked about, where this machine may and can."""

from __future__ import annotations

import os
from dataclasses import replace

from linerate.errors import DeviceFailedError, LinerateError
from linerate.face.fits.carrying import Where
from linerate.face.fits.followed import Asked
from linerate.measure.datapaths.swx.test_run import time_pipeline
from linerate.programs.pipeline_paths import PipelineTraffic
from linerate.progress import telling
from linerate.units import short


def is_run(asked: Asked, where: Where, *, is_named: bool) -> bool:
    """Say whether a question is about frames on this machine, and may run something here.

    Parameters
    ----------
    asked
        The question.
    where
        Whose costs it is about.
    is_named
        Whether the model is the user's own, which may be another machine's.
    """
    if asked.frames is None or where.box is not None or is_named:
        return False
    return os.geteuid() == 0 if where.static is None else not where.static


def run_on(asked: Asked, load: PipelineTraffic, *, progress: bool) -> tuple[PipelineTraffic, str]:
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
    except DeviceFailedError as error:
        return load, f"not run, for it would not start: {_why(error)}"
    except LinerateError as error:
        return load, f"not run: {_why(error)}"
    taken = f"{short(min(ran_ns), 4)} to {short(max(ran_ns), 4)} ns a packet"
    return replace(load, ran_ns=ran_ns), (
        f"{len(ran_ns)} loads of it ran here on these frames, {taken}; prices of paths are held "
        "against that"
    )


def _why(error: LinerateError) -> str:
    return str(error).rstrip(".")
