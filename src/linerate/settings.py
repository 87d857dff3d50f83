"""Settings of a datapath, each declared once: campaign files, tables and reports read this."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from linerate.cells import Settings, Value
from linerate.tables.columns import Column, Kind

Pairs = tuple[tuple[str, str], ...]
"""Type of a setting that is not a list of factors but one table: names and their texts."""
KINDS: dict[object, Kind] = {bool: "flag", int: "count", float: "number", str: "text"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """How a report names a value; messages are marked for translation where they stand."""

    words: Mapping[Value, str] = field(default_factory=lambda: MappingProxyType({}))
    """Messages of single values; empty for one that goes without saying."""
    one: str = "{n}"
    """Message of every other value, which is ``n``."""
    many: str = ""
    """Plural of ``one``, where it counts something."""
    digits: int = 3
    """Significant digits of a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is to be known of one setting."""

    column: str
    """Its column in tables."""
    meaning: str
    unit: str = ""
    """Of a count or a number."""
    label: Label = Label()
    within: tuple[float, float] | None = None
    """Least and largest value that a campaign file may give; None where any will do."""
    required: bool = False
    """Whether a campaign file must give it."""
    suffixes: tuple[str, ...] = ()
    """Of a text that is the path of the user's own file: what it may end in; empty for others."""
    names_frames: bool = False
    """Whether it names the frames that are sent; a block that gives it has no ``frame_bytes``."""


def setting(default: object, about: Setting) -> Any:  # noqa: ANN401 - as dataclasses.field
    """Declare a field of a dataclass of settings."""
    return field(default=default, metadata={"about": about})


class SettingsType(Protocol):
    """A frozen dataclass, each field of which is a ``setting``."""

    table: ClassVar[str]
    """Its key in a block of a campaign file."""
    __dataclass_fields__: ClassVar[dict[str, Any]]


S = TypeVar("S", bound=SettingsType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One field of a dataclass of settings."""

    name: str
    type: Any
    default: object
    about: Setting

    @property
    def column(self) -> Column:
        """Its column in tables."""
        form = type(get_args(self.type)[0]) if get_origin(self.type) is Literal else self.type
        meaning = ", ".join(filter(None, (self.about.unit, self.about.meaning)))
        return Column(name=self.about.column, kind=KINDS.get(form, "text"), meaning=meaning)


@cache
def declared(kind: type[SettingsType]) -> tuple[Declared, ...]:
    """List the settings that a dataclass declares, in its order."""
    hints = get_type_hints(kind)
    return tuple(
        Declared(name=each.name, type=hints[each.name], default=each.default,
                 about=each.metadata["about"])
        for each in fields(kind)
    )  # fmt: skip


def columns_of(settings: SettingsType) -> Settings:
    """Write settings as a cell and a table have them: pairs of a column and its value."""
    return tuple(
        (each.about.column, _written(getattr(settings, each.name)))
        for each in declared(type(settings))
    )


def settings_from(kind: type[S], columns: Settings) -> S:
    """Read settings from the columns of a cell; those that it does not name are the usual ones."""
    given = dict(columns)
    known = [each for each in declared(kind) if each.about.column in given]
    return kind(**{each.name: _read(each, given[each.about.column]) for each in known})


def _written(value: Value | Pairs) -> Value:
    if isinstance(value, tuple):
        return json.dumps(dict(value)) if value else ""
    return value


def _read(each: Declared, value: Value) -> Value | Pairs:
    if each.type == Pairs:
        return tuple(json.loads(str(value)).items()) if value else ()
    return value
