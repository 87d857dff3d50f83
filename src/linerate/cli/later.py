"""A package that is loaded when something of it is asked for, not when it is imported."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class Later(ModuleType):
    """Stands for a package in ``sys.modules`` until one of its names is read.

    ``importlib.util.LazyLoader`` would load it at the second ``import``, which reads ``__spec__``.
    """

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        loaded = import_module(self.__name__)
        self.__dict__.update(vars(loaded))  # those that have imported it keep this one
        return getattr(loaded, name)


def load_later(package: str) -> None:
    """Put off loading a package; modules that import it only to name its types never do.

    Parameters
    ----------
    package
        Its name, as ``pandas``: half of the time that a prediction takes to start.
    """
    if package not in sys.modules:
        later = Later(package)
        later.__spec__ = find_spec(package)
        sys.modules[package] = later
