"""What trials beside hogs have come to: how many were disturbed, and how many of them believed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from scipy.stats import binomtest

from .classes import CLASSES
from .judged import FAILED, NOBODY

DISTURBED_RATIO = 0.03
"""Others took at least so much of the window from a thread that was ready."""
UNDISTURBED_RATIO = 0.01
"""They had at most so much of a core, wanted or not; what lies between is neither."""
STEAL_RATIO = 0.005
"""More stolen time than this is a disturbance that no trace of this kernel shows."""
CAUGHT_SHARE, MARKED_SHARE = 0.99, 0.02
VALID = "valid"


@dataclass(frozen=True, slots=True)
class Counts:
    """All trials that were kept."""

    trials: Sequence[dict[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read them."""
        return cls([json.loads(line) for line in path.read_text().splitlines()])

    def disturbed(self, kind: str) -> list[dict[str, Any]]:
        """Those from which a hog of a class took its share."""
        return [each for each in self.trials
                if each["hog"] == kind and each["hog_ratio"] >= DISTURBED_RATIO]  # fmt: skip

    def by_others(self) -> list[dict[str, Any]]:
        """Those without a hog from which neighbours took as much."""
        return [each for each in self.trials
                if each["hog"] == NOBODY and each["taken_ratio"] >= DISTURBED_RATIO]  # fmt: skip

    def undisturbed(self) -> list[dict[str, Any]]:
        """Those, with or without a hog, from which nobody took much."""
        return [each for each in self.trials if each["state"] != FAILED
                and each["ran_ratio"] <= UNDISTURBED_RATIO
                and each["steal_ratio"] <= STEAL_RATIO]  # fmt: skip

    @property
    def hold(self) -> bool:
        """Whether enough disturbed trials may be caught, and few enough others marked.

        Some dozens say little of a hundredth: it is missed where 95 % intervals leave it out.
        """
        disturbed = [each for kind in CLASSES for each in self.disturbed(kind)]
        return (_interval(disturbed)[1] >= CAUGHT_SHARE
                and _interval(self.undisturbed())[0] <= MARKED_SHARE)  # fmt: skip

    def __str__(self) -> str:
        rows = [(kind, self.disturbed(kind)) for kind in CLASSES]
        rows.append(("neighbours", self.by_others()))
        lines = [f"{kind}: {self._tried(kind)} tried, {len(found)} disturbed, "
                 f"not valid {_said(found)}" for kind, found in rows]  # fmt: skip
        good = self.undisturbed()
        lines += [_told(each) for each in good if each["state"] != VALID]
        failed = sum(each["state"] == FAILED for each in self.trials)
        return "\n".join([
            *lines, f"undisturbed: {len(good)}, marked {_said(good)}",
            f"no trial came of {failed} of {len(self.trials)}",
        ])  # fmt: skip

    def _tried(self, kind: str) -> int:
        return sum(each["hog"] == kind for each in self.trials)


def _told(trial: dict[str, Any]) -> str:
    """Say of an undisturbed trial that was marked what is known of it."""
    shares = [f"{name} {trial.get(f'{name}_ratio', 0.0):.1%}"
              for name in ("ran", "idle", "beside", "steal", "late")]  # fmt: skip
    return f"{trial['cell']}: {'; '.join(trial['reasons'])} ({', '.join(shares)})"


def _marked(trials: Sequence[dict[str, Any]]) -> int:
    return sum(each["state"] != VALID for each in trials)


def _interval(trials: Sequence[dict[str, Any]]) -> tuple[float, float]:
    if not trials:
        return 0.0, 1.0
    interval = binomtest(_marked(trials), len(trials)).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def _said(trials: Sequence[dict[str, Any]]) -> str:
    if not trials:
        return "-"
    marked, (low, high) = _marked(trials), _interval(trials)
    return f"{marked} ({marked / len(trials):.1%} [{low:.1%}..{high:.1%}])"
