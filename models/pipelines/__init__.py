"""Whether a pipeline of one's own sustains line rate, over the paths that its packets take."""

from __future__ import annotations

from linerate.models.pipelines.answer import PipelineAnswer, PipelineQuestion, answer_pipeline
from linerate.models.pipelines.case import Cases, PathCase

__all__ = ["Cases", "PathCase", "PipelineAnswer", "PipelineQuestion", "answer_pipeline"]
