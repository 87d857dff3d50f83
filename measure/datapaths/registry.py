"""Finding the datapaths: a new folder is a new datapath, and no list names it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from linerate.errors import bad_name
from linerate.settings import Declared, SettingsType, declared
from linerate.tables.columns import KNOWN, Column

if TYPE_CHECKING:
    from linerate.measure.datapaths.datapath import Datapath

PACKAGE = "linerate.measure.datapaths"


@cache
def datapaths() -> dict[str, Datapath]:
    """List every datapath by its name: the ``DATAPATHS`` of each folder's ``datapath.py``.

    Found when first asked for: what they need takes longer to load than most commands.
    """
    folders = [
        f"{PACKAGE}.{each.name}.datapath"
        for each in iter_modules(import_module(PACKAGE).__path__)
        if each.ispkg
    ]
    found = [one for name in folders if find_spec(name) for one in import_module(name).DATAPATHS]
    return {one.name: one for one in sorted(found, key=lambda one: one.place)}


def datapath_named(name: str) -> Datapath:
    """Take a datapath by its name.

    Raises
    ------
    BadInputError
        There is none of that name.
    """
    known = datapaths()
    if name not in known:
        raise bad_name("datapath", name, why="no lab runs it", known=known)
    return known[name]


def settings_tables() -> dict[str, type[SettingsType]]:
    """List the settings of all datapaths by the key of their table in a campaign file."""
    kinds = [kind for each in datapaths().values() for kind in (each.settings, each.own_settings)]
    return {kind.table: kind for kind in kinds if kind}


def settings_of_columns() -> dict[str, Declared]:
    """List the settings of all datapaths by their column, in the order that tables have."""
    found = [each for kind in settings_tables().values() for each in declared(kind)]
    return {each.about.column: each for each in found}


def column_named(name: str) -> Column:
    """Take a column of the table of runs by its name; those of settings are in the records."""
    own = settings_of_columns().get(name)
    return own.column if own else KNOWN[name]
