"""The same function of several things, by joblib: in processes, or wherever its caller says.

joblib's own settings decide: ``with joblib.parallel_config(n_jobs=2): lr.validate(runs)``. One
process is the default, since another loads half of SciPy first. Every item brings its own seed,
so that the numbers are the same whatever the number of workers. What works beside others does its
own work alone: a validation spreads its models, and no model its bootstrap again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

T = TypeVar("T")


def workers() -> int:
    """Count the processes, or other workers, that joblib would use: one if not configured.

    >>> workers()
    1
    """
    configured: Any = None  # its default of -1 is every CPU
    return int(effective_n_jobs(configured))


def side_by_side(function: Callable[..., T], items: Iterable[tuple[object, ...]]) -> Iterator[T]:
    """Yield what a function gives for the arguments of each item, in their order.

    >>> list(side_by_side(divmod, [(7, 2), (9, 4)]))
    [(3, 1), (2, 1)]
    """
    listed = list(items)
    if len(listed) == 1 or workers() == 1:
        yield from (function(*item) for item in listed)
        return
    found = Parallel()(delayed(_alone)(function, item) for item in listed)
    yield from cast("Iterable[T]", found)


def _alone(function: Callable[..., T], item: tuple[object, ...]) -> T:
    with parallel_config(backend="sequential"):
        return function(*item)
