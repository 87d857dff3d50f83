"""A campaign on several boxes: what each has in hand, who is silent, what came back.

Whatever carries orders to boxes is behind `Carrier`: Dask in a lab, simulated boxes in a benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import time
from typing import Literal, Protocol

from linerate.errors import BadInputError, LinerateError
from linerate.measure.boxes.orders import (
    Begun,
    Greeting,
    Kept,
    Order,
    Refusal,
    keys_of,
    read,
    text_of,
)
from linerate.measure.boxes.turns import Turns, Work

State = Literal["asked", "ready", "refused"]


class Carrier(Protocol):
    """What carries orders to boxes."""

    def ask(self, box: str, address: str, method: str, text: str) -> int:
        """Have a box do something; the number will be that of its answer."""
        ...

    def drop(self, number: int) -> None:
        """Ask no more for an answer."""
        ...


class Books(Protocol):
    """What a campaign's folder keeps."""

    campaign_id: str

    def begin_text(self) -> str:
        """Give the record by which a box takes part, as JSON."""
        ...

    def check(self, greeting: Greeting, asked_s: float) -> None:
        """Refuse a box of another version, or whose clock is off; it was asked at this time."""
        ...

    def join(self, box: str, begun: Begun) -> None:
        """Take in a box, and what it has of the campaign."""
        ...

    def take(self, line: str) -> None:
        """Keep a trial or search of a box, once."""
        ...

    def known(self, box: str, work: Work) -> int:
        """Count the trials that are kept of a box's run."""
        ...

    def renewed(self, work: Work) -> Work | None:
        """Give a piece of work with what is kept of it by now; None where nothing is left."""
        ...


@dataclass(slots=True, kw_only=True)
class Seat:
    """A box, as far as it is known here."""

    address: str = ""
    """Where it is; empty while it is gone."""
    state: State = "asked"
    asked: int = 0
    """Number of the question that it has not answered; 0 for none."""
    asked_s: float = 0.0
    """When it was asked: seconds since 1970."""
    gone_since_s: float | None = None
    error: LinerateError | None = None
    """Why it is refused."""


@dataclass(slots=True, kw_only=True)
class Dispatch:
    """Gives a campaign's work to its boxes, and keeps what they finish."""

    books: Books
    turns: Turns
    carrier: Carrier
    lease_s: float
    on_next: Callable[[Work], None]
    on_refused: Callable[[str, LinerateError], None]
    on_given_up: Callable[[str, Work], None] = lambda box, work: None
    """Called where a box was silent for the lease, with what it had in hand."""
    seats: dict[str, Seat] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether everything is measured."""
        return self.turns.is_over

    def look(self, there: Mapping[str, str], now_s: float) -> None:
        """Take note of which boxes are there, by address; what silent ones had in hand is freed.

        Parameters
        ----------
        there
            Address of each box of the campaign that is there.
        now_s
            Seconds of a clock that only goes on.
        """
        for box, address in there.items():
            seat = self.seats.setdefault(box, Seat())
            seat.gone_since_s = None
            if seat.address != address:
                self._leave(seat)
                seat.address, seat.state = address, "asked"
                self._ask(box, "greet", "")
        for box, seat in self.seats.items():
            if box not in there:
                self._gone(box, seat, now_s)
            elif seat.state == "ready" and not seat.asked:
                self._order(box)

    def forsake(self) -> None:
        """Take note that the scheduler is gone: boxes are silent from when it is there again."""
        for seat in self.seats.values():
            seat.asked, seat.address, seat.gone_since_s = 0, "", None

    def hear(self, box: str, number: int, text: str) -> None:
        """Take an answer; of one to a question that is no more asked, what was measured."""
        seat = self.seats.get(box)
        if seat is None or number != seat.asked:
            self._late(text)
            return
        self.carrier.drop(number)
        seat.asked = 0
        if not text:  # gone before it could answer: a look will tell
            seat.address = ""
            return
        try:
            self._answered(box, seat, text)
        except LinerateError as error:
            seat.state, seat.error = "refused", error
            self._give_back(box)
            self.on_refused(box, error)

    def _answered(self, box: str, seat: Seat, text: str) -> None:
        keys = raise_refusal(box, text)
        if "clock_s" in keys:
            self.books.check(read(Greeting, text), seat.asked_s)
            self._ask(box, "begin", self.books.begin_text())
        elif "machine" in keys:
            self.books.join(box, read(Begun, text))
            seat.state = "ready"
            self._order(box)
        else:
            self._keep(text)
            self._finished(box)

    def _late(self, text: str) -> None:
        """Keep what a box had measured before it was given up: nobody need measure it again."""
        with suppress(BadInputError):  # of another version: that is said when it is asked again
            keys = keys_of(text or "{}")
            if "lines" in keys and "machine" not in keys:  # of a box that is to be checked first
                self._keep(text)

    def _keep(self, text: str) -> None:
        for line in read(Kept, text).lines:
            self.books.take(line)

    def _finished(self, box: str) -> None:
        """Go on to the next, unless the box has not finished all that is left of this."""
        work = self.turns.in_hand(box)
        if work is not None and self.books.renewed(work) is None:
            self.turns.done(box)
        self._order(box)

    def _order(self, box: str) -> None:
        while work := self.turns.take(box):
            if renewed := self.books.renewed(work):
                break
            self.turns.done(box)  # another box, or this one before it was gone, has finished it
        else:
            return
        self.on_next(work)
        order = Order.of(self.books.campaign_id, renewed, self.books.known(box, work))
        self._ask(box, "measure", text_of(order))

    def _ask(self, box: str, method: str, text: str) -> None:
        seat = self.seats[box]
        seat.asked_s = time()
        seat.asked = self.carrier.ask(box, seat.address, method, text)

    def _gone(self, box: str, seat: Seat, now_s: float) -> None:
        self._leave(seat)
        seat.address = ""
        seat.gone_since_s = now_s if seat.gone_since_s is None else seat.gone_since_s
        work = self.turns.in_hand(box)
        if work is not None and now_s - seat.gone_since_s >= self.lease_s:
            self._give_back(box)
            self.on_given_up(box, work)

    def _give_back(self, box: str) -> None:
        work = self.turns.in_hand(box)
        if work is not None:
            renewed = self.books.renewed(work)
            self.turns.give_back(box, renewed.finished if renewed else None)

    def _leave(self, seat: Seat) -> None:
        if seat.asked:
            self.carrier.drop(seat.asked)
            seat.asked = 0


def raise_refusal(box: str, text: str) -> Collection[str]:
    """Make a box's refusal an error of this process, with its exit code.

    Returns
    -------
    Keys of another answer.
    """
    keys = keys_of(text)
    if "error" not in keys:
        return keys
    refusal = read(Refusal, text)
    error = LinerateError(f"box {box}: {refusal.error}")
    error.exit_code = refusal.exit_code
    raise error


def refused_all(seats: Mapping[str, Seat]) -> LinerateError | None:
    """Give the first refusal where every box that was there is refused; None where one is not."""
    errors = [seat.error for seat in seats.values() if seat.state == "refused"]
    return errors[0] if errors and len(errors) == len(seats) else None
