"""Which box measures what next: a machine alone is a lab of one box."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from linerate.cells import Cell
from linerate.files.store import Store
from linerate.measure.campaign.campaign import Campaign
from linerate.measure.campaign.finished import Finished, finished_searches, finished_trials
from linerate.measure.campaign.order import PlannedRun
from linerate.measure.campaign.search_order import PlannedSearch, plan_all, searches_in_turn

HERE = ""
"""Name of the box where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A run or a search to come: what a box has in hand at a time."""

    planned: PlannedRun | PlannedSearch
    finished: Finished = field(default_factory=Finished)
    """What the journal has of a run."""

    @property
    def id(self) -> str:
        """Of the plan's run or search."""
        planned = self.planned
        return planned.search_id if isinstance(planned, PlannedSearch) else planned.run_id

    @property
    def is_canary(self) -> bool:
        """Whether it only tells how fast its box is at the time."""
        return isinstance(self.planned, PlannedRun) and self.planned.canary


def work_left(campaign: Campaign, store: Store, *, retry_failed: bool = False) -> list[Work]:
    """List what the journal lacks of a campaign's plan, in the plan's order.

    Parameters
    ----------
    campaign
        What is to be measured.
    store
        Its folder.
    retry_failed
        Whether what the device's failure ended is measured again, each once.
    """
    planned, searches = plan_all(campaign)
    done = finished_trials(store, campaign)
    begun = Finished(retries=campaign.retries)
    runs = [Work(planned=run, finished=done.get(run.run_id, begun)) for run in planned]
    left = [
        work for work in runs
        if not work.finished.is_whole(campaign) or (work.finished.failed and retry_failed)
    ]  # fmt: skip
    found = finished_searches(store, retry_failed=retry_failed)
    in_turn = searches_in_turn(campaign, searches)
    return left + [
        work for work in _from_first_left(in_turn, found, done, begun)
        if not work.finished.is_whole(campaign)
    ]  # fmt: skip


def _from_first_left(
    in_turn: Sequence[PlannedSearch | PlannedRun], found: Set[str], done: Mapping[str, Finished],
    begun: Finished,
) -> list[Work]:  # fmt: skip
    """List the searches that are not found, and canaries from the one before the first of them."""
    left = [
        place for place, each in enumerate(in_turn)
        if isinstance(each, PlannedSearch) and each.search_id not in found
    ]  # fmt: skip
    rest = in_turn[max(left[0] - 1, 0) :] if left else ()
    return [
        Work(planned=each) if isinstance(each, PlannedSearch)
        else Work(planned=each, finished=done.get(each.run_id, begun))
        for each in rest if not (isinstance(each, PlannedSearch) and each.search_id in found)
    ]  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Canaries:
    """The canary of each box: when it first measures, after so many runs, and at the end."""

    cell: Cell
    every: int
    """Runs of a box between two of its canaries."""
    numbers: Counter[str] = field(default_factory=Counter)
    """Canaries that each box has had."""
    _since: dict[str, int] = field(default_factory=dict)
    """Runs since a box's last canary; none of a box that has to begin with one."""

    def due(self, box: str, *, more: bool) -> Work | None:
        """Take a box's canary where it is due; ``more`` is whether there are runs to come."""
        since = self._since.get(box)
        at_end = not more and since
        if not at_end and not (more and (since is None or since >= self.every)):
            return None
        number = self.numbers[box]
        self.numbers[box] += 1
        run = PlannedRun(
            run_id=f"canary-{number:05d}-{box}", repetition=1, canary=True, cell=self.cell
        )
        return Work(planned=run)

    def done(self, box: str, work: Work) -> None:
        """Count what a box has finished."""
        self._since[box] = 0 if work.is_canary else self._since.get(box, 0) + 1

    def gone(self, box: str) -> None:
        """Have a box begin with a canary when it is there again."""
        self._since.pop(box, None)


@dataclass(slots=True)
class Turns:
    """Work in the plan's order, to whichever box is free; each box has one piece at a time."""

    work: Iterable[Work]
    canaries: Canaries | None = None
    """None where the plan has them in its order."""
    _queue: deque[Work] = field(init=False)
    _in_hand: dict[str, Work] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._queue = deque(self.work)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left, nor in any hand."""
        return not self._queue and not self._in_hand

    def take(self, box: str) -> Work | None:
        """Give a box what it is to measure: what it has in hand already, else what comes next.

        Returns
        -------
        None where there is nothing for it now; another box may give some back.
        """
        work = self._in_hand.get(box) or self._next(box)
        if work is not None:
            self._in_hand[box] = work
        return work

    def done(self, box: str) -> None:
        """Take note that a box has finished what it had in hand."""
        work = self._in_hand.pop(box)
        if self.canaries:
            self.canaries.done(box, work)

    def give_back(self, box: str, finished: Finished | None = None) -> Work | None:
        """Take from a box what it had in hand: it is the next that another one gets.

        Parameters
        ----------
        box
            One that is gone.
        finished
            What the journal has of the run by now; None where it is as it was.
        """
        work = self._in_hand.pop(box, None)
        if self.canaries:
            self.canaries.gone(box)
        if work is not None and not work.is_canary:
            done = work.finished if finished is None else finished
            self._queue.appendleft(Work(planned=work.planned, finished=done))
        return work

    def in_hand(self, box: str) -> Work | None:
        """Tell what a box measures."""
        return self._in_hand.get(box)

    def _next(self, box: str) -> Work | None:
        due = self.canaries and self.canaries.due(box, more=bool(self._queue))
        return due or (self._queue.popleft() if self._queue else None)
