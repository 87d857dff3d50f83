"""When a campaign will end: by how long its runs and searches took so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

PAUSE_FACTOR = 10.0
"""A run that seems to have taken so many times the median held a pause between two processes."""


@dataclass(slots=True)
class Pace:
    """Times from the first trial of one run, or search, to that of the next, in the journal."""

    run_s: list[float] = field(default_factory=list)
    search_s: list[float] = field(default_factory=list)
    began_s: float | None = None
    """When the first trial of the last run or search began, seconds since 1970; None before it."""
    _id: str = ""
    _is_search: bool = False

    def trial(self, planned_id: str, started_at: str, *, is_search: bool) -> None:
        """Take the start of a trial, UTC in ISO 8601; one without is left out."""
        if planned_id == self._id or not started_at:
            return
        now_s = datetime.fromisoformat(started_at).timestamp()
        if self.began_s is not None and now_s > self.began_s:
            (self.search_s if self._is_search else self.run_s).append(now_s - self.began_s)
        self.began_s, self._id, self._is_search = now_s, planned_id, is_search

    def end_s(self, runs: int, searches: int, now_s: float) -> float | None:
        """Say when all will be done, seconds since 1970; None where nothing tells.

        Parameters
        ----------
        runs, searches
            How many are left, the one that is under way included.
        now_s
            Now, seconds since 1970: nothing ends before.

        >>> pace = Pace()
        >>> for second in (0, 2, 4, 6):
        ...     began = f"2026-11-22T12:00:0{second}+00:00"
        ...     pace.trial(f"c{second}", began, is_search=False)
        >>> pace.end_s(1, 0, 0.0) - pace.began_s  # the last of the four
        2.0
        >>> pace.end_s(3, 1, 0.0) is None  # no search was finished
        True
        """
        needed = [(runs, self.run_s), (searches, self.search_s)]
        if self.began_s is None or any(left and not times for left, times in needed):
            return None
        left_s = sum(left * _typical(times) for left, times in needed if left)
        under_way = _typical(self.search_s if self._is_search else self.run_s)
        late = max(0.0, now_s - (self.began_s + under_way))  # a pause, or the last run is long
        return max(now_s, self.began_s + left_s + late)


def _typical(times_s: Sequence[float]) -> float:
    """Mean of times without pauses, s; 0 of none.

    >>> _typical([2.0, 2.0, 3.0, 3600.0])
    2.3333333333333335
    """
    if not times_s:
        return 0.0
    median_s = float(np.median(times_s))
    return float(np.mean([each for each in times_s if each <= PAUSE_FACTOR * median_s]))
