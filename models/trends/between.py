"""Which commit to measure next between an old one and a new one of another speed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

import numpy as np

from linerate.errors import bad_input
from linerate.models.arrays import Array
from linerate.models.trends.noise import SPREAD_MIN

SAMPLES_MIN = 4
"""Campaigns, for two levels and the noise around them."""
SURE = 0.95
"""Probability at which a commit is named and nothing more is asked for."""
GRID = 400
"""Values of the next sample at which its density is taken."""
BEYOND = 6.0
"""Spreads by which these go beyond the lowest and the highest level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """Where a rate stepped among commits, and what to measure next."""

    commits: tuple[str, ...]
    """Those behind the first that was measured up to the last that was, in order."""
    probabilities: tuple[float, ...]
    """Of each, that it is the one with which the rate stepped, if one of them is."""
    ratio: float
    """Rate after over rate before, at the likeliest of them."""
    spread_percent: float
    """Of one campaign around its level."""
    next_commit: str
    """To measure next; empty where the step is found."""
    campaigns_left: int
    """About as many, if the next ones tell as much as the next one."""

    @property
    def likeliest(self) -> str:
        """The commit that most probably changed the rate."""
        return self.commits[int(np.argmax(self.probabilities))]

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "likeliest": self.likeliest}

    def lines(self) -> Iterator[str]:
        """Say it in words."""
        most = max(self.probabilities)
        word = "slower" if self.ratio < 1.0 else "faster"
        yield (f"{self.likeliest} is {abs(100.0 * (self.ratio - 1.0)):.1f} % {word} than what was "
               f"before it, with a probability of {most:.2f}; {len(self.commits)} commits may be; "
               f"a campaign lies {self.spread_percent:.2g} % around its level")  # fmt: skip
        if self.next_commit:
            yield (f"measure next: {self.next_commit}; about {self.campaigns_left} more campaigns "
                   f"until one of them has {SURE:.0%}")  # fmt: skip
        else:
            yield "nothing more needs to be measured"


def between(commits: Sequence[str], places: Sequence[int], logs: Array) -> Between:
    """Find where the level of a rate stepped, and the commit whose campaign would tell most of it.

    A step lies at each commit with the same probability before anything is measured. Given where
    it is, samples are normal around two levels; levels and spread are integrated out (Jeffreys'
    priors). Asked for next is the commit whose sample is expected to tell most of where the step
    is: without noise one that halves what is left, with noise one that was measured already where
    that pays, an end too, where a level is not known well enough.

    Parameters
    ----------
    commits
        In order, the oldest first.
    places
        Shape (n,), index in them of what each campaign measured.
    logs
        Shape (n,), natural logarithm of its rate.

    Raises
    ------
    BadInputError
        Too few campaigns, or all of one commit.

    References
    ----------
    Lindley, On a measure of the information provided by an experiment, Ann. Math. Stat. 27 (1956);
    Waeber, Frazier, Henderson, Bisection search with noisy responses, SIAM J. Control Optim. 51
    (2013). Step at an unknown place: Smith, Biometrika 62 (1975).
    """
    found = np.asarray(places)
    if len(found) < SAMPLES_MIN or found.min() == found.max():
        raise bad_input(
            "commits", f"{len(found)} campaigns of {len(np.unique(found))} of them",
            why="they do not say two levels and the noise around them", allowed=f"{SAMPLES_MIN} "
            "campaigns or more, of the oldest and of the newest commit among them",
            do="measure each of the two twice",
        )  # fmt: skip
    parts = _parts(found, logs)
    each = [one.chance / one.commits for one in parts for _ in range(one.commits)]
    best, first = max(parts, key=lambda one: one.chance / one.commits), parts[0].behind
    done = max(each) >= SURE
    bits, place = (1.0, 0) if done else max((_told_bits(parts, at), at) for at in _places(parts))
    entropy = -sum(one * math.log2(one) for one in each if one > 0.0)
    return Between(
        commits=tuple(commits[first + 1 : parts[-1].last + 1]), probabilities=tuple(each),
        ratio=math.exp(best.after - best.before), spread_percent=100.0 * best.spread,
        next_commit="" if done else commits[place],
        campaigns_left=0 if done else max(1, round(entropy / max(bits, 1e-3))),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Commits between two that were measured, the later one included: what is known is the same."""

    behind: int
    """Index of the measured commit before them."""
    last: int
    before: float
    """Level before a step at one of them, and after it."""
    after: float
    sizes: tuple[int, int]
    """Samples of both levels."""
    spread: float
    chance: float

    @property
    def commits(self) -> int:
        return self.last - self.behind

    def after_ratio(self, place: int) -> float:
        """Share of them that are not behind a commit: for these it has the new level."""
        return min(max(place - self.behind, 0), self.commits) / self.commits


def _parts(found: np.ndarray, logs: Array) -> list[_Part]:
    """Take the probability of each part that the step is in it, and both levels then."""
    parts, weights = [], []
    freedom = len(logs) - 2
    for behind, last in pairwise(map(int, np.unique(found))):
        sides = (logs[found <= behind], logs[found > behind])
        around = sum(float(np.sum((side - side.mean()) ** 2)) for side in sides)
        around += freedom * SPREAD_MIN**2
        sizes = (len(sides[0]), len(sides[1]))
        weights.append(math.log(last - behind) - 0.5 * math.log(sizes[0] * sizes[1])
                       - 0.5 * freedom * math.log(around))  # fmt: skip
        parts.append(_Part(
            behind=behind, last=last, before=float(sides[0].mean()), after=float(sides[1].mean()),
            sizes=sizes, spread=math.sqrt(around / freedom), chance=0.0,
        ))  # fmt: skip
    odds = np.exp(np.array(weights) - max(weights))
    return [replace(part, chance=float(own)) for part, own in
            zip(parts, odds / odds.sum(), strict=True)]  # fmt: skip


def _places(parts: Sequence[_Part]) -> Iterator[int]:
    """Name what may be worth a campaign: each measured commit, and one inside each part."""
    yield parts[0].behind
    before = 0.0
    for part in parts:
        yield part.last
        if part.commits > 1:
            half = (0.5 - before) / max(part.chance, 1e-12) * part.commits
            yield part.behind + int(min(max(round(half), 1), part.commits - 1))
        before += part.chance


def _told_bits(parts: Sequence[_Part], place: int) -> float:
    """Bits that a sample at a commit is expected to tell of where the step is."""
    known = [
        (chance, level, part.spread * math.sqrt(1.0 + 1.0 / size))
        for part in parts for chance, level, size in (
            (part.chance * part.after_ratio(place), part.after, part.sizes[1]),
            (part.chance * (1.0 - part.after_ratio(place)), part.before, part.sizes[0]),
        )
    ]  # fmt: skip
    chances, levels, spreads = (np.array(each)[:, None] for each in zip(*known, strict=True))
    room = BEYOND * float(spreads.max())
    values = np.linspace(float(levels.min()) - room, float(levels.max()) + room, GRID)
    own = np.exp(-0.5 * ((values - levels) / spreads) ** 2) / spreads
    own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
    mixed = np.sum(chances * own, axis=0)
    ratio = np.log2(np.maximum(own, 1e-300) / np.maximum(mixed, 1e-300))
    return float(np.sum(chances * own * ratio))
