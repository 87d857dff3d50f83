"""One machine's runs and the models fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from linerate.box import Box
from linerate.models import LatencyModel, ModelFile, Pair, Predictor, Training, Validation
from linerate.models.operations.validation import MixValidation
from linerate.models.validation.by_split import SplitError
from linerate.models.validation.cpu import CpuValidation
from linerate.models.validation.latency import LatencyValidation
from linerate.reports.section.rows import STUDIES, Study, rows_of

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """Runs of one machine and the models fitted to them."""

    runs: pd.DataFrame
    """Its rows of the tables, checked."""
    training: Training | None
    """What capacity was fitted on; None where no run can be used."""
    file: ModelFile | None
    """What was fitted; None where the runs are too few."""
    validation: Validation | None
    """Errors of the capacity model; None where the runs are too few to hold any out."""
    latency: LatencyModel | None
    """None without enough runs of the split mode with latency."""
    box: Box | None
    """None without its file."""
    latency_scores: LatencyValidation | None = None
    """Errors of latency on load-latency runs held out; None without such runs."""
    cpu_scores: CpuValidation | None = None
    """Errors of CPU shares on these runs."""
    mix_scores: MixValidation | None = None
    """Errors of costs of operations on works held out; None without such runs."""
    chain_scores: LatencyValidation | None = None
    """Errors of round trips and times of chains on lengths held out; None without such runs."""
    split_errors: tuple[SplitError, ...] | None = None
    """Errors of rates by what was held out; None where they have not been asked for yet."""
    notes: tuple[str, ...]
    """What was left out or could not be fitted, one sentence each."""
    searches: pd.DataFrame | None = None
    """What searches found; None without any."""
    _rows: dict[Study, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)
    _made: dict[tuple[str, ...], Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def predictor(self) -> Predictor | None:
        """The capacity model with its intervals; None where there is none."""
        return None if self.file is None or self.training is None else self.file.predictor

    @property
    def box_name(self) -> str:
        """Name of the machine."""
        named = self.runs if self.searches is None or len(self.runs) else self.searches
        return str(named["box"].iloc[0])

    @property
    def studies(self) -> tuple[Study, ...]:
        """Studies that have rows here, in order of the report."""
        searched = self.searches is not None
        return tuple(
            study for study in STUDIES
            if not self.rows(study).empty or (study == "searches" and searched)
        )  # fmt: skip

    def rows(self, study: Study) -> pd.DataFrame:
        """Take the runs of one study; each is looked for once."""
        if study not in self._rows:
            self._rows[study] = rows_of(self.runs, study)
        return self._rows[study]

    def rows_of(self, studies: Sequence[Study]) -> pd.DataFrame:
        """Take the runs of several studies, one behind the other; many of one are not copied."""
        parts = [part for study in studies if len(part := self.rows(study))]
        return parts[0] if len(parts) == 1 else pd.concat(parts or [self.runs.head(0)])

    def once(self, name: tuple[str, ...], make: Callable[[], Made]) -> Made:
        """Make what several figures need of its rows, and keep it under a name."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs of its capacity runs, in order of the table."""
        return self.training.cells.pairs if self.training is not None else ()
