"""What device host and generator host say to each other: one JSON object a line, either way.

The device's host asks, the generator's answers. A *start* is answered when its traffic is over;
until then each *beat* is answered by an *alive*, and a side that hears nothing for too long gives
the other up. Nothing that is said is ever part of a command line of a shell.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from linerate.cells import Load
from linerate.errors import LinerateError, bad_input

VERSION = 1
"""Of this protocol; ends of different versions do not talk."""
LINE_BYTES_MAX = 1024 * 1024
"""A histogram of a thousand buckets is some 30 kB."""
BEAT_SECONDS = 0.5
"""Between two signs of life from the device's host."""
SILENCE_SECONDS = 10.0
"""Without a sign of life traffic is ended on one side, and given up on the other."""
TRIAL_SECONDS_MAX = 3600.0
CORES_MAX = 64
_SHOWN_CHARACTERS = 120

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
Outlet = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
"""Name of an interface, or a card's PCI address."""
Program = Annotated[str, Field(pattern=r"^(/[A-Za-z0-9_./+-]{1,254})?$")]
"""Absolute path of a generator's program; empty for the usual one."""
Mac = Annotated[str, Field(pattern=r"^([0-9a-f]{2}(:[0-9a-f]{2}){5})?$")]
Words = Annotated[str, Field(max_length=2000)]
Count = Annotated[int, Field(ge=0, lt=2**64)]
"""What a register of a card can hold."""
Register = Annotated[int, Field(ge=-(2**63), lt=2**64)]
"""A difference of two looks at one, which a card may have reset in between."""
Core = Annotated[int, Field(ge=0, lt=CORES_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The first request: who is there."""

    version: int = VERSION
    """Of the protocol that the device's host speaks."""
    kind: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """The answer to *hello*."""

    version: int
    """Of the protocol that the generator's host speaks."""
    linerate: Words
    """Version of linerate there."""
    kernel: Words
    cores: int
    generators: tuple[Name, ...]
    """Kinds of generator that it knows."""
    kind: Literal["welcome"] = "welcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A request to make a generator ready on an interface; nothing is sent yet."""

    interface: Outlet
    generator: Name
    cores: Annotated[tuple[Core, ...], Field(min_length=1, max_length=CORES_MAX)]
    """Cores that send."""
    program: Program = ""
    kind: Literal["open"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The answer to *open*."""

    driver: Words
    """Of the interface; empty where the kernel does not say."""
    speed_gbps: float | None
    """What its link carries; None where the driver does not say."""
    version: Words
    """Of the generator."""
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A request to send one load for some time, and to count."""

    load: Load
    link_gbps: float
    """No more is sent than such a link carries; inf for no limit."""
    seconds: Annotated[float, Field(gt=0, le=TRIAL_SECONDS_MAX)]
    """How long; all of it is counted."""
    destination_mac: Mac = ""
    """Of each frame; empty for the generator's usual one, which is not a card's."""
    kind: Literal["start"] = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Latencies that a generator took."""

    sum_ns: Count
    max_ns: Count
    buckets: tuple[tuple[Count, Count], ...]
    """Pairs (lower bound in ns, packets), ascending."""
    taken: Literal["software", "hardware"] = "software"
    """Whether a clock was read, or the card stamped the packets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorReport:
    """The answer to *start*: what the generator counted."""

    duration_ns: Annotated[int, Field(gt=0)]
    """Time it was sending."""
    intended: Count
    """Packets due in that time; when flooding, what it tried to send."""
    sent: Count
    """Packets that left the interface."""
    received: Count
    """Of these, packets that came back."""
    latency: Histogram | None = None
    """Way out and back; None where nothing was stamped."""
    contended_ratio: Annotated[float, Field(ge=0)] = 0.0
    """Largest share of time that a core of the generator was held by others."""
    remarks: tuple[Words, ...] = ()
    """What makes the counts doubtful, one sentence each; empty where nothing does."""
    kind: Literal["report"] = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """A sign of life while traffic runs."""

    kind: Literal["beat"] = "beat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """The answer to *beat*."""

    kind: Literal["alive"] = "alive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A request to end the traffic before its time."""

    kind: Literal["stop"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The answer to *stop*: nothing is being sent."""

    kind: Literal["stopped"] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The answer to a request that could not be met."""

    words: Words
    """Why, as the error said it there."""
    exit_code: int
    """Of the error's class: bad input, cannot here, or set-up failed."""
    kind: Literal["refused"] = "refused"


Request = Hello | Open | Start | Beat | Stop
Answer = Welcome | Opened | GeneratorReport | Alive | Stopped | Refused
_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="kind")])
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="kind")])


def line_of(message: Request | Answer) -> str:
    """Write a message as one line, without the line's end."""
    return json.dumps(asdict(message))


def request_from(line: str | bytes) -> Request:
    """Read a line from the device's host.

    Raises
    ------
    BadInputError
        It is not a request, or one with impossible values.
    """
    try:
        return _REQUEST.validate_json(_sized(line), strict=True)
    except ValidationError as error:
        raise bad_input(
            "request", _shown(line), why=f"it is not understood ({_first(error)})",
            allowed="hello, open, start, beat, stop, one JSON object a line",
            do="run the same version of linerate on both hosts",
        ) from error  # fmt: skip


def answer_from(line: str | bytes) -> Answer:
    """Read a line from the generator's host.

    Raises
    ------
    LinerateError
        It is not an answer: something else writes to the standard output there.
    """
    try:
        return _ANSWER.validate_json(_sized(line), strict=True)
    except (ValidationError, ValueError) as error:
        raise LinerateError(
            f"generator host: it said {_shown(line)}, which is not an answer of linerate; a "
            "shell's start-up file that prints, or another version, is the usual reason"
        ) from error


def _sized(line: str | bytes) -> str | bytes:
    if len(line) > LINE_BYTES_MAX:
        raise bad_input(
            "line", f"{len(line)} bytes", why="no message is so long",
            allowed=f"at most {LINE_BYTES_MAX} bytes", do="see what writes there",
        )  # fmt: skip
    return line


def _shown(line: str | bytes) -> str:
    text = line if isinstance(line, str) else line.decode(errors="replace")
    return ascii(text[:_SHOWN_CHARACTERS])


def _first(error: ValidationError) -> str:
    found = error.errors()[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
