"""One machine's part of a report: its runs and what the models make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.box import Box
from linerate.errors import BadInputError
from linerate.models import (
    MODELS,
    LatencyModel,
    Pair,
    Predictor,
    Training,
    Validation,
    fit_latency,
    fit_predictor,
    training_of,
)
from linerate.models.fitting import SEED
from linerate.models.validation.choice import choose_model, model_named, validate_or_none
from linerate.reports.sources import Source, box_of, boxes_apart, searches_of
from linerate.reports.studies import Study, rows_of

STUDIES: tuple[Study, ...] = (
    "capacity", "sockets", "operations", "pipelines", "filters", "chains", "searches",
)  # fmt: skip
DATAPATH_NAMES = {
    "xdp_native": "XDP native",
    "xdp_generic": "XDP generic",
    "af_xdp": "AF_XDP",
    "netfilter": "netfilter hook",
    "swx": "DPDK SWX",
}
NAME_LENGTH_MAX = 40
"""A longer name of a program is cut where it is drawn; tables keep it whole."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """Runs of one machine and the models fitted to them."""

    runs: pd.DataFrame
    """Its rows of the tables, checked."""
    training: Training | None
    """What capacity was fitted on; None where no run can be used."""
    predictor: Predictor | None
    """None where the runs are too few to fit."""
    validation: Validation | None
    """None where they are too few to hold any out."""
    latency: LatencyModel | None
    """None without enough runs of the split mode with latency."""
    box: Box | None
    """None without its file."""
    notes: tuple[str, ...]
    """What was left out or could not be told, one sentence each."""
    searches: pd.DataFrame | None = None
    """What searches found; None without any."""

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
        """Take the runs of one study."""
        return rows_of(self.runs, study)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Datapaths and programs of its capacity runs, in order of the table."""
        return self.training.cells.pairs if self.training is not None else ()


def sections_of(sources: Sequence[Source], model: str = "auto") -> list[Section]:
    """Fit each machine's runs apart.

    Parameters
    ----------
    sources
        Tables as ``read_source`` gives them.
    model
        Name of a member of ``MODELS``, or ``auto`` for the best by grouped validation.
    """
    if model != "auto":
        model_named(model, MODELS)
    said = tuple(note for source in sources for note in source.notes)
    return [
        fit_section(runs, model, box=box_of(runs, sources), notes=said,
                    searches=searches_of(runs, sources))
        for runs in boxes_apart(sources)
    ]  # fmt: skip


def fit_section(
    runs: pd.DataFrame, model: str = "auto", *, box: Box | None = None,
    notes: tuple[str, ...] = (), searches: pd.DataFrame | None = None,
) -> Section:  # fmt: skip
    """Fit and validate the runs of one machine; what cannot be done is noted, not raised."""
    capacity = rows_of(runs, "capacity")
    latency = fit_latency(capacity)
    training, predictor, validation = None, None, None
    try:
        training = training_of(capacity) if len(capacity) else None
        if training is not None:
            notes += training.notes
            predictor, validation = _fitted(training, model)
            notes += predictor.model.notes
    except BadInputError as error:
        notes += (str(error),)
    return Section(runs=runs, training=training, predictor=predictor, validation=validation,
                   latency=latency, box=box, notes=notes, searches=searches)  # fmt: skip


def _fitted(training: Training, model: str) -> tuple[Predictor, Validation | None]:
    if model == "auto":
        chosen, validation = choose_model(training, MODELS, SEED)
    else:
        chosen = model_named(model, MODELS)
        validation = validate_or_none(chosen, training, SEED)
    return fit_predictor(chosen, training, np.random.default_rng(SEED)), validation


def path_name(datapath: str, program: str, *, alone: bool = True) -> str:
    """Name a path for a reader; with its program unless it is the only one."""
    name = DATAPATH_NAMES.get(datapath, datapath)
    return name if alone else f"{name}, {printable(program)}"


def path_names(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Names of several paths: programs are named only where a datapath runs more than one."""
    datapaths = [datapath for datapath, _ in dict.fromkeys(pairs)]
    return {
        (datapath, program): path_name(datapath, program, alone=datapaths.count(datapath) == 1)
        for datapath, program in dict.fromkeys(pairs)
    }


def printable(name: str) -> str:
    """Cut a long name, and show what a font cannot as a question mark.

    >>> printable("map_" + chr(7) + "lookup")
    'map_?lookup'
    """
    shown = "".join(sign if sign.isprintable() and ord(sign) < 0x250 else "?" for sign in name)
    return shown if len(shown) <= NAME_LENGTH_MAX else shown[: NAME_LENGTH_MAX - 1] + "…"
