"""Finding the figures: a new file is a new figure, and no list names it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import walk_packages

from linerate.errors import bad_input
from linerate.reports.figures.figure import FigureKind
from linerate.reports.section.rows import STUDIES


def figures_in(folders: Iterable[str], package: str) -> tuple[FigureKind, ...]:
    """Find the ``FIGURE`` of each module below a package, in the order of the report.

    Parameters
    ----------
    folders
        Where the package's modules lie: its ``__path__``.
    package
        Its name.
    """
    names = [module.name for module in walk_packages(list(folders), f"{package}.")]
    found = [getattr(import_module(name), "FIGURE", None) for name in names]
    figures = [figure for figure in found if isinstance(figure, FigureKind)]
    return tuple(sorted(figures, key=_order))


def figure_named(name: str, figures: Sequence[FigureKind]) -> FigureKind:
    """Take a figure by its name.

    Raises
    ------
    BadInputError
        No figure has it.
    """
    for figure in figures:
        if figure.name == name:
            return figure
    raise bad_input("figure", name, why="there is no such figure",
                    allowed=", ".join(figure.name for figure in figures),
                    do="use one of these")  # fmt: skip


def _order(figure: FigureKind) -> tuple[int, int, str]:
    return STUDIES.index(figure.studies[0]), figure.place, figure.name
