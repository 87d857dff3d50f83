"""Test runs of a pipeline that is asked about, where this machine may and can."""

from __future__ import annotations

from dataclasses import replace

from linerate.errors import LinerateError
from linerate.face.fits.followed import Asked
from linerate.face.fits.notes import note_of_run, why_not
from linerate.measure.datapaths.swx.test_run import time_pipeline
from linerate.programs.pipeline_paths import PipelineTraffic
from linerate.progress import telling


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
    except LinerateError as error:
        return load, why_not(error)
    return replace(load, ran_ns=ran_ns), note_of_run(ran_ns)
