"""Linear algebra in one thread: on small matrices several wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    """Find the libraries once: SciPy's own among them, which is loaded here."""
    import_module("scipy.linalg")
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Have NumPy's and SciPy's linear algebra work alone until this ends.

    A singular value decomposition of 2400 rows and 6 columns takes 0.1 ms of CPU by one thread and
    3.8 ms by two on 2 CPUs that others hold too (2026-11-23): a fit makes thousands of them.
    """
    with _controller().limit(limits=1):
        yield
