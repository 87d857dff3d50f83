"""What passes between a campaign and its boxes: lines of JSON, whatever carries them."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from linerate.box import Box
from linerate.errors import BadInputError, LinerateError, bad_input
from linerate.measure.boxes.turns import Work
from linerate.measure.campaign.finished import Finished
from linerate.measure.campaign.order import PlannedRun
from linerate.measure.campaign.search_order import PlannedSearch

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PROTOCOL = 2
"""Of these records: raised when one is no more what it was."""
RECORDS = f"records of protocol {PROTOCOL}"
SAME = "install the same linerate on every machine of the lab"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """How a box answers who asks what it is; its keys stay, so that any version can read it."""

    box: str
    protocol: int
    version: str
    revision: str
    """Of the source, as git has it; ``unknown`` where it is not a clone."""
    clock_s: float
    """Seconds since 1970 by its clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """A campaign that a box is to take part in."""

    campaign_id: str
    plan: str
    """Text of the campaign file."""
    files: dict[str, str] = field(default_factory=dict)
    """Contents of the files that it names, in base64."""

    @classmethod
    def of(cls, campaign_id: str, plan: str, files: Mapping[str, bytes]) -> Begin:
        """Make one of files as they are."""
        texts = {name: b64encode(content).decode() for name, content in files.items()}
        return cls(campaign_id=campaign_id, plan=plan, files=texts)

    def contents(self) -> dict[str, bytes]:
        """Give the files as they are.

        Raises
        ------
        BadInputError
            One would lie elsewhere than beside the plan, or is not as it was sent.
        """
        for name in self.files:
            if name.startswith("/") or ".." in PurePosixPath(name).parts:
                raise bad_input("file", name, why="it leads out of the campaign's folder",
                                allowed="a path from that folder", do="correct it")  # fmt: skip
        try:
            return {name: b64decode(text) for name, text in self.files.items()}
        except ValueError as error:
            raise bad_input("files", ", ".join(self.files), why=f"one is not base64 ({error})",
                            allowed=RECORDS, do=SAME) from error  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """What a box says to that: what it is, and what it has of the campaign."""

    machine: Box
    lines: tuple[str, ...]
    """Trials and searches that it has finished, as its own journal has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A run or a search that a box is to measure."""

    campaign_id: str
    run: PlannedRun | None = None
    search: PlannedSearch | None = None
    finished: Finished = field(default_factory=Finished)
    """What the campaign's journal has of the run, of all boxes."""
    known: int = 0
    """Of these trials, how many are this box's: what it has beyond them is not counted yet."""

    @classmethod
    def of(cls, campaign_id: str, work: Work, known: int) -> Order:
        """Make one of a piece of work."""
        run = work.planned if isinstance(work.planned, PlannedRun) else None
        search = work.planned if isinstance(work.planned, PlannedSearch) else None
        return cls(
            campaign_id=campaign_id, run=run, search=search, finished=work.finished, known=known
        )

    @property
    def planned(self) -> PlannedRun | PlannedSearch:
        """What it is."""
        planned = self.run or self.search
        if planned is None:
            raise LinerateError("order: it names neither a run nor a search")
        return planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a box has finished of an order."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a box cannot."""

    error: str
    exit_code: int


_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind) for kind in (Greeting, Begin, Begun, Order, Kept, Refusal)
}


def text_of(record: DataclassInstance) -> str:
    """Write a record as JSON."""
    return json.dumps(asdict(record))


def read(kind: type[T], text: str) -> T:
    """Read a record from JSON.

    Raises
    ------
    BadInputError
        It is none: whoever wrote it is of another version.
    """
    try:
        found: T = _ADAPTERS[kind.__name__].validate_json(text)
        return found
    except ValidationError as error:
        raise _unread(kind.__name__.lower(), text) from error


def keys_of(text: str) -> Collection[str]:
    """List the keys of a record of any kind, by which its kind is known.

    Raises
    ------
    BadInputError
        It is not a record.
    """
    try:
        found = from_json(text)
    except ValueError as error:
        raise _unread("answer", text) from error
    if not isinstance(found, dict):
        raise _unread("answer", text)
    return found.keys()


def _unread(what: str, text: str) -> BadInputError:
    return bad_input(what, text[:200], why="it cannot be read", allowed=RECORDS, do=SAME)
