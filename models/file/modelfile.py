"""A fitted model as a JSON file: exact to the last bit, checked when read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import ConfigDict, TypeAdapter, ValidationError

from linerate.errors import bad_input
from linerate.files.kinds import no_model
from linerate.files.outputs import write_whole
from linerate.models.capacity.model import Capacity
from linerate.models.catalogue import MODEL_NAMES
from linerate.models.file.soundness import check_predictor
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.intervals import Conformal
from linerate.models.intervals.predictor import Predictor, joined
from linerate.models.latency.model import LatencyModel
from linerate.models.latency.overload import Overload
from linerate.models.learned import Boosting, Forest, GaussianProcess, Hybrid
from linerate.models.operations.predictor import MixPredictor
from linerate.models.regression import LogMixed, LogOls, LogQuantile, LogWls
from linerate.models.runs.limits import CapacityModel
from linerate.models.validation.validation import Scores
from linerate.records import Predictions

SCHEMA_VERSION: Literal[1] = 1
BYTES_MAX = 64 * 1024**2
"""A larger file is refused before it is read."""

NOWHERE = Domain(pairs=())
NO_SCORES = Conformal(buckets=(), ceiling_half_width=0.0)
"""What a file has that holds costs of steps alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a model's numbers come from."""

    campaigns: tuple[str, ...]
    boxes: tuple[str, ...]
    labs: tuple[str, ...]
    """Labs and modes of the runs; empty where the table does not say."""
    runs: int
    """Rows fitted on."""
    notes: tuple[str, ...]
    """What was left out, and what the runs could not tell."""
    linerate_version: str
    fitted_at: str
    """UTC, ISO 8601."""
    box_hashes: tuple[str, ...] = ()
    """Hashes of the boxes' checked metadata; empty where the table does not say."""
    revisions: tuple[str, ...] = ()
    """Revisions of linerate that measured; empty where the table does not say."""
    table_sha256: str = ""
    """Hash of the table of runs as it was read, rows that were left out included."""

    def other_machine(self, runs: pd.DataFrame) -> tuple[str, ...]:
        """Say where runs are of another box or mode than the model's."""
        boxes, modes = _distinct(runs, "box"), _labs(runs)
        pairs = (("box", self.boxes, boxes), ("lab and mode", self.labs, modes))
        return tuple(
            f"the model is of {what} {', '.join(own)}, these runs of {', '.join(new)}: what "
            "differs need not be drift"
            for what, own, new in pairs if own and new and not set(new) <= set(own)
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """Everything that a prediction needs, and where it came from."""

    # An endless link is written as Infinity; a name that is not known is refused.
    __pydantic_config__ = ConfigDict(ser_json_inf_nan="constants", extra="forbid")

    schema_version: Literal[1] = SCHEMA_VERSION
    # The model stands under its name; what learns from examples keeps these, and learns again.
    capacity: Capacity | None = None
    hybrid: Hybrid | None = None
    gp: GaussianProcess | None = None
    boosting: Boosting | None = None
    forest: Forest | None = None
    log_ols: LogOls | None = None
    log_wls: LogWls | None = None
    log_mixed: LogMixed | None = None
    log_quantile: LogQuantile | None = None
    domain: Domain = NOWHERE
    conformal: Conformal = NO_SCORES
    mixes: MixPredictor | None = None
    """Costs of steps; None where the runs have no programs that steps tell apart."""
    latency: LatencyModel | None = None
    """None where the runs hold no latency of the split mode."""
    overload: Overload | None = None
    """None where no flooded run has a latency."""
    scores: Scores | None = None
    """Grouped validation on the same runs; None where they were too few."""
    provenance: Provenance

    def __post_init__(self) -> None:
        if len(self._models()) + (self.mixes is not None and not self._models()) != 1:
            raise ValueError(f"{', '.join(MODEL_NAMES)}: exactly one of them must be there")
        if self.by_accesses:
            check_predictor(self.predictor)

    @property
    def predictor(self) -> Predictor:
        """What predicts by memory accesses, queues and frames.

        Raises
        ------
        BadInputError
            Nothing but costs of steps was fitted.
        """
        if not self.by_accesses:
            raise bad_input(
                "model", "costs of steps", why="no program was measured by memory accesses",
                allowed=self.mixes.known() if self.mixes else "",
                do="name one of these, or measure and fit the other",
            )  # fmt: skip
        return Predictor(model=self._models()[0], domain=self.domain, conformal=self.conformal)

    @property
    def by_accesses(self) -> bool:
        """Whether there is a ``predictor``."""
        return bool(self._models())

    def predict(self, cells: pd.DataFrame) -> Predictions:
        """Predict cells of a table, in its order, each by the part that its program was fitted by.

        Raises
        ------
        BadInputError
            Missing columns, impossible factors, or what no run tells of.
        """
        stepped = np.zeros(len(cells), dtype=np.bool_)
        if self.mixes is not None and "datapath" in cells.columns:
            stepped = self.mixes.knows(cells)
        if self.mixes is None or not stepped.any():
            return self.predictor.predict(cells)
        if stepped.all():
            return self.mixes.predict(cells)
        parts = (self.mixes.predict(cells[stepped]), self.predictor.predict(cells[~stepped]))
        order = np.argsort(np.concatenate([np.flatnonzero(stepped), np.flatnonzero(~stepped)]))
        return joined(parts).take(order)

    def _models(self) -> list[CapacityModel]:
        named = (getattr(self, name) for name in MODEL_NAMES)
        return [model for model in named if model is not None]


_ADAPTER = TypeAdapter(ModelFile)


def model_file(
    predictor: Predictor,
    provenance: Provenance,
    *,
    latency: LatencyModel | None = None,
    overload: Overload | None = None,
    scores: Scores | None = None,
) -> ModelFile:
    """Put a fitted model and its origin together."""
    return _ADAPTER.validate_python({
        predictor.model.name: predictor.model, "domain": predictor.domain,
        "conformal": predictor.conformal, "latency": latency, "overload": overload,
        "scores": scores, "provenance": provenance,
    })  # fmt: skip


def provenance_of(runs: pd.DataFrame, *, fitted_on: int, notes: tuple[str, ...]) -> Provenance:
    """Read campaigns, boxes, labs and revisions off a table of runs."""
    return Provenance(
        campaigns=_distinct(runs, "campaign"), boxes=_distinct(runs, "box"),
        labs=_labs(runs),
        runs=fitted_on, notes=notes, linerate_version=version("linerate"),
        fitted_at=pd.Timestamp.now("UTC").isoformat(timespec="seconds"),
        box_hashes=_distinct(runs, "box_hash"), revisions=_distinct(runs, "git_revision"),
        table_sha256=hashlib.sha256(runs.to_csv(index=False).encode()).hexdigest(),
    )  # fmt: skip


def _labs(runs: pd.DataFrame) -> tuple[str, ...]:
    labs = runs[[name for name in ("lab", "mode") if name in runs.columns]].drop_duplicates()
    return tuple(" ".join(map(str, row)) for row in labs.to_numpy()) if labs.shape[1] else ()


def _distinct(runs: pd.DataFrame, column: str) -> tuple[str, ...]:
    known = runs[column].dropna().unique() if column in runs.columns else ()
    return tuple(sorted(map(str, known)))


def save_model(model: ModelFile, path: Path) -> None:
    """Write a model file; a failed write leaves an older file as it was.

    Raises
    ------
    LinerateError
        It cannot be written.
    """
    write_whole(path, _ADAPTER.dump_json(model, indent=1) + b"\n")


def load_model(path: Path) -> ModelFile:
    """Read a model file.

    Raises
    ------
    BadInputError
        Missing, too large, truncated, or not a model file of this version.
    """
    refused = no_model(path)
    if refused is not None:
        raise refused
    if path.stat().st_size > BYTES_MAX:
        raise bad_input("path", path, why=f"it has {path.stat().st_size} bytes",
                        allowed=f"at most {BYTES_MAX}", do="fit again")  # fmt: skip
    try:
        return _ADAPTER.validate_json(path.read_bytes(), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        if place == "schema_version":
            raise bad_input(
                "schema_version", repr(first["input"]), why=f"{path} is of another linerate",
                allowed=f"{SCHEMA_VERSION}", do="read it with the linerate that wrote it, or fit "
                "again: linerate fit RUNS --out MODEL.json",
            ) from error  # fmt: skip
        raise bad_input(
            "path", path, why=f"it is no whole model file ({place}: {first['msg']})",
            allowed=f"JSON written by linerate fit, schema_version {SCHEMA_VERSION}",
            do="fit again: linerate fit RUNS --out MODEL.json",
        ) from error  # fmt: skip
