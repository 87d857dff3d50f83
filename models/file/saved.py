"""Model files as JSON: exact to the last bit, checked when read."""

from __future__ import annotations

from dataclasses import field, make_dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import from_json

from linerate.errors import BadInputError, bad_input
from linerate.files.kinds import no_model
from linerate.files.outputs import write_whole
from linerate.models.capacity.model import Capacity
from linerate.models.file.modelfile import NO_DOMAIN, NO_SCORES, ModelFile
from linerate.models.file.provenance import Provenance
from linerate.models.intervals.domain import Domain
from linerate.models.intervals.intervals import Conformal
from linerate.models.runs.limits import CapacityModel
from linerate.models.validation.validation import Scores

if TYPE_CHECKING:
    from linerate.models.kinds import Kind

SCHEMA_VERSION: Literal[3] = 3
BYTES_MAX = 64 * 1024**2
"""A larger file is refused before it is read."""
AT_A_LOAD = frozenset({"latency", "pipelines", "cpu_shares", "overload"})
"""Kinds that say nothing of a cell at which no load is offered; a test compares."""
OF_RATES = frozenset({"schema_version", Capacity.name, "domain", "conformal", "scores",
                      "provenance"})  # fmt: skip


def save_model(model: ModelFile, path: Path) -> None:
    """Write a model file; a failed write leaves an older file as it was.

    Raises
    ------
    LinerateError
        It cannot be written.
    """
    own, models = model.capacity_model, _every_model()
    if own is not None and type(own) not in models:
        models = (*models, type(own))
    envelope = _envelope(models, model.kinds)
    named = dict(model.fitted) | ({own.name: own} if own is not None else {})
    fields = {"schema_version": SCHEMA_VERSION, "domain": model.domain,
              "conformal": model.conformal, "scores": model.scores,
              "provenance": model.provenance}  # fmt: skip
    write_whole(path, envelope.dump_json(envelope.validate_python(named | fields), indent=1)
                + b"\n")  # fmt: skip


def load_model(
    path: Path, *, models: tuple[type[CapacityModel], ...] | None = None,
    kinds: tuple[Kind, ...] | None = None,
) -> ModelFile:  # fmt: skip
    """Read a model file.

    Parameters
    ----------
    path
        As ``save_model`` wrote it.
    models, kinds
        What it may hold; all that there are if left out.

    Raises
    ------
    BadInputError
        Missing, too large, truncated, or not a model file of this version.
    """
    from linerate.models.kinds import KINDS

    return _read(path, _every_model() if models is None else models,
                 KINDS if kinds is None else kinds)  # fmt: skip


def load_rates(path: Path) -> ModelFile:
    """Read a model file of which only rates are asked, at no offered load, as ``load_model``.

    Where it can answer by memory accesses alone, its other parts are neither read nor their code
    loaded, which takes as long as all the rest.
    """
    refused = no_model(path)
    if refused is not None:
        raise refused
    try:
        parts = from_json(path.read_bytes()) if path.stat().st_size <= BYTES_MAX else None
    except ValueError:
        parts = None
    known = parts.items() if isinstance(parts, dict) else ()
    held = {name for name, part in known if part is not None}
    if Capacity.name in held and held <= OF_RATES | AT_A_LOAD:
        return _read(path, (Capacity,), (), others="ignore")
    return load_model(path)


def _every_model() -> tuple[type[CapacityModel], ...]:
    from linerate.models.catalogue import MODELS  # slow to load

    return MODELS


def _read(
    path: Path, models: tuple[type[CapacityModel], ...], kinds: tuple[Kind, ...],
    *, others: Literal["forbid", "ignore"] = "forbid",
) -> ModelFile:  # fmt: skip
    refused = no_model(path)
    if refused is not None:
        raise refused
    if path.stat().st_size > BYTES_MAX:
        raise bad_input("path", path, why=f"it has {path.stat().st_size} bytes",
                        allowed=f"at most {BYTES_MAX}", do="fit again")  # fmt: skip
    try:
        return _opened(_envelope(models, kinds, others).validate_json(path.read_bytes(),
                       strict=True), models, kinds)  # fmt: skip
    except ValidationError as error:
        found = {".".join(map(str, one["loc"])): one for one in error.errors()}
        place, first = next(iter(found.items()))
        if "schema_version" in found:
            first = found["schema_version"]
            raise bad_input(
                "schema_version", repr(first["input"]), why=f"{path} is of another linerate",
                allowed=f"{SCHEMA_VERSION}", do="read it with the linerate that wrote it, or fit "
                "again: linerate fit RUNS --out MODEL.json",
            ) from error  # fmt: skip
        raise _not_whole(path, f"{place or 'the file'}: {first['msg']}") from error
    except ValueError as error:  # whole, and yet it cannot answer
        raise _not_whole(path, str(error)) from error


def _not_whole(path: Path, why: str) -> BadInputError:
    return bad_input(
        "path", path, why=f"it is not a whole model file ({why})",
        allowed=f"JSON written by linerate fit, schema_version {SCHEMA_VERSION}",
        do="fit again: linerate fit RUNS --out MODEL.json",
    )  # fmt: skip


@lru_cache
def _envelope(
    models: tuple[type[CapacityModel], ...], kinds: tuple[Kind, ...],
    others: Literal["forbid", "ignore"] = "forbid",
) -> TypeAdapter[Any]:  # fmt: skip
    """Build the form of a file: each model under its name, None where there is none."""
    named = [(each.name, each) for each in models] + [
        (kind.name, kind.model) for kind in kinds if kind.model is not None
    ]
    optional: list[Any] = [(name, model | None, field(default=None)) for name, model in named]
    # An endless link is written as Infinity; a name that is not known is refused.
    config = ConfigDict(ser_json_inf_nan="constants", extra=others)
    return TypeAdapter(make_dataclass(
        "Envelope",
        [("schema_version", Literal[3], field(default=SCHEMA_VERSION)), *optional,
         ("domain", Domain, field(default=NO_DOMAIN)),
         ("conformal", Conformal, field(default=NO_SCORES)),
         ("scores", Scores | None, field(default=None)), ("provenance", Provenance)],
        kw_only=True, namespace={"__pydantic_config__": config},
    ))  # fmt: skip


def _opened(
    envelope: Any,  # noqa: ANN401 - its fields are those of models and kinds
    models: tuple[type[CapacityModel], ...], kinds: tuple[Kind, ...],
) -> ModelFile:  # fmt: skip
    capacity = [model for one in models if (model := getattr(envelope, one.name)) is not None]
    if len(capacity) > 1:
        raise ValueError(f"it holds {len(capacity)} of {', '.join(one.name for one in models)}")
    return ModelFile(
        capacity_model=capacity[0] if capacity else None, domain=envelope.domain,
        conformal=envelope.conformal, scores=envelope.scores, provenance=envelope.provenance,
        fitted={kind.name: model for kind in kinds
                if (model := getattr(envelope, kind.name, None)) is not None}, kinds=kinds,
    )  # fmt: skip
