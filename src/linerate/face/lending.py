"""What lends its constants to a machine of few runs: models and box files of others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from linerate.box import Box, read_box
from linerate.face.model import Model
from linerate.models.file.saved import load_model
from linerate.models.intervals.predictor import Predictor
from linerate.models.loans import predictor_of_box

Source = str | os.PathLike[str] | Model | Box
"""A box or its file (TOML), a model or its file (JSON)."""


def donors_of(prior: Source | Sequence[Source]) -> dict[str, Predictor]:
    """Read what is to lend, by the name of its box.

    Raises
    ------
    BadInputError
        A file is neither, or has no datapath and program.
    """
    sources = prior if isinstance(prior, Sequence) and not isinstance(prior, str) else [prior]
    found: dict[str, Predictor] = {}
    for source in sources:
        name, predictor = _donor(source)
        found[f"{name} ({len(found) + 1})" if name in found else name] = predictor
    return found


def _donor(source: Source) -> tuple[str, Predictor]:
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        source = read_box(path) if path.suffix == ".toml" else Model(file=load_model(path))
    if isinstance(source, Box):
        return source.name, predictor_of_box(source)
    return ", ".join(source.file.provenance.boxes), source.file.predictor
