"""The way from a campaign to its boxes, by Dask: who is there, what they answer and report."""

from __future__ import annotations

import json
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from secrets import randbits
from typing import Any

from distributed import Client
from distributed.client import Future
from distributed.scheduler import KilledWorker

from linerate.errors import LinerateError
from linerate.measure.boxes.guarded import address_of, security_of
from linerate.measure.boxes.keys import Keys
from linerate.measure.boxes.orders import Refusal, text_of
from linerate.measure.boxes.serving import (
    RESOURCE,
    boxes_there,
    is_refused,
    on_testbed,
    refused,
    topic_of,
)

CONNECT_S = 5.0
FETCH_S = 60.0
"""For an answer that was not reported: its box is greeted again after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of something that a box was asked."""

    box: str
    number: int
    """Which of the questions it answers."""
    text: str
    """JSON; empty where the box was gone, or the scheduler."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A line of a box's journal, while it measures."""

    line: str


Happening = Answer | Reported


class SchedulerGoneError(LinerateError):
    """Nothing answers at the scheduler's address."""


@dataclass(slots=True, kw_only=True)
class Cluster:
    """A connection to a lab's scheduler, and what its boxes report of a campaign."""

    keys: Keys
    scheduler: str
    """Address, as the user wrote it."""
    campaign_id: str
    happenings: SimpleQueue[Happening] = field(default_factory=SimpleQueue)
    _client: Any = None
    _numbers: int = field(default_factory=lambda: randbits(48))
    """Of the last question: no other process that asks the same boxes has such a one."""
    _futures: dict[int, Future | None] = field(default_factory=dict)
    """By question; None while one is being asked, as its answer may come before that is over."""
    _reported: set[int] = field(default_factory=set)
    """Questions whose answers need not be fetched."""

    def __enter__(self) -> Cluster:
        self.connect()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def connect(self) -> None:
        """Connect, anew where there was a connection.

        Raises
        ------
        BadInputError
            The scheduler does not know these keys.
        SchedulerGoneError
            Nothing answers there.
        """
        self.close()
        try:
            self._client = Client(
                address_of(self.keys, self.scheduler), security=security_of(self.keys),
                set_as_default=False, timeout=CONNECT_S, name="linerate-measure",
            )  # fmt: skip
        except (OSError, TimeoutError, RuntimeError, ValueError) as error:
            if isinstance(error, LinerateError):
                raise
            if is_refused(error):
                raise refused(self.scheduler, self.keys, error) from error
            raise SchedulerGoneError(
                f"scheduler={self.scheduler}: nothing answers there"
            ) from error
        self._client.subscribe_topic(topic_of(self.campaign_id), self._hear)

    def close(self) -> None:
        """End the connection; what boxes measure they keep."""
        if self._client is not None:
            with suppress(Exception):  # Dask has many for one that is half gone
                self._client.close(timeout=CONNECT_S)
        self._client = None
        self._futures.clear()
        self._reported.clear()

    def boxes(self) -> dict[str, str]:
        """List the boxes that are there, with their addresses.

        Raises
        ------
        SchedulerGoneError
            The scheduler is gone.
        """
        try:
            if self._client.status != "running":
                raise OSError("the connection has ended")
            found: dict[str, str] = self._client.run_on_scheduler(boxes_there)
        except Exception as error:  # likewise
            raise SchedulerGoneError(f"scheduler={self.scheduler}: it is gone ({error})") from error
        return found

    def ask(self, box: str, address: str, method: str, text: str) -> int:
        """Have a box do something; its answer will happen, with the number that is returned."""
        self._numbers += 1
        number = self._numbers
        self._futures[number] = None
        reported = (topic_of(self.campaign_id), number)
        given = (json.dumps(reported),) if method == "greet" else (text, *reported)
        future = self._client.submit(
            on_testbed, method, *given, workers=[address], allow_other_workers=False,
            pure=False, retries=0, resources=RESOURCE if method == "measure" else None,
        )  # fmt: skip
        self._futures[number] = future

        def answered(done: Future) -> None:
            if number in self._reported:
                self._reported.discard(number)
            else:
                self.happenings.put(Answer(box=box, number=number, text=_text(done)))

        future.add_done_callback(answered)
        return number

    def drop(self, number: int) -> None:
        """Ask no more for an answer."""
        future = self._futures.pop(number, None)
        if future is not None and number not in self._reported and not future.done():
            with suppress(Exception):  # likewise
                future.cancel()

    def next(self, seconds: float) -> Happening | None:
        """Wait for what happens next; None where nothing does."""
        try:
            return self.happenings.get(timeout=seconds)
        except Empty:
            return None

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        reported = event[1]
        if "line" in reported:
            self.happenings.put(Reported(line=reported["line"]))
            return
        answer = Answer(box=reported["box"], number=reported["number"], text=reported["text"])
        if answer.number in self._futures:
            self._reported.add(answer.number)
        self.happenings.put(answer)


def _text(done: Future) -> str:
    """Give what a box answered, or why it could not; nothing where it was gone before.

    An answer that is there is fetched by way of the scheduler, which may be gone meanwhile: the box
    still has it.
    """
    try:
        if done.status == "finished":
            return str(done.result(timeout=FETCH_S))
        error = done.exception(timeout=FETCH_S) if done.status == "error" else None
    except (OSError, CancelledError):
        return ""
    if error is None or isinstance(error, KilledWorker):
        return ""
    return text_of(Refusal(error=f"{type(error).__name__}: {error}", exit_code=3))
