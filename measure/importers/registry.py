"""Finding the importers: a new module of ``formats`` is a new format, and no list names it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from linerate.errors import bad_input
from linerate.measure.importers import formats

if TYPE_CHECKING:  # an importer takes longer to load than the list of them may
    from linerate.measure.importers.importer import Importer


def importers() -> Mapping[str, str]:
    """Name of each format, as the user types it -> the first line of its module.

    No format is loaded.
    """
    names = sorted(module.name for module in iter_modules(formats.__path__))
    return {name: _first_line(name) for name in names}


def importer_named(name: str) -> Importer:
    """Load one importer: the ``IMPORTER`` of its module.

    Raises
    ------
    BadInputError
        No format has this name.
    """
    known = importers()
    if name not in known:
        raise bad_input("format", name, why="there is no such importer", allowed=", ".join(known),
                        do="use one of these names")  # fmt: skip
    importer: Importer = import_module(f"{formats.__name__}.{name}").IMPORTER
    return importer


def _first_line(name: str) -> str:
    found = find_spec(f"{formats.__name__}.{name}")
    source = Path(found.origin).read_text() if found and found.origin else ""
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
