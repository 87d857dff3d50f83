"""What ``linerate.lua`` printed, among MoonGen's own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from linerate.errors import LinerateError
from linerate.measure.generators.live_frames import last_words
from linerate.measure.remote.protocol import Count, Register

MARK = "LINERATE "
"""What a line of the script begins with."""
_BUCKETS_MAX = 4096
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ERRORS = ("[FATAL]", "[ERROR]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The card's link is up, and nothing was sent yet."""

    driver: str
    """Of DPDK."""
    speed_mbps: Count
    """Of the link; 0 where the driver does not say."""
    stamps: Literal["hardware", "software"]
    """How latency is taken."""
    pattern: Literal["flood", "cbr", "poisson"]
    """What is sent, after the link that is imitated was looked at."""
    rate_mpps: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Likewise; 0 when flooding."""
    kind: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """The card's registers while it sends."""

    at_ns: Count
    """Since the counted time began."""
    sent: Register
    received: Register
    kind: Literal["second"] = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """Latencies of the probes that came back."""

    sum_ns: Count
    max_ns: Count
    buckets: Annotated[tuple[tuple[Count, Count], ...], Field(max_length=_BUCKETS_MAX)]
    """Pairs (lower bound in ns, probes), ascending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Counts of the whole counted time, and of what came back after it."""

    duration_ns: Annotated[int, Field(gt=0, lt=2**63)]
    """Time of sending, by MoonGen's clock."""
    looked_tsc_ns: Register
    """Time between the first and the last look at the registers, by MoonGen's clock."""
    looked_monotonic_ns: Register
    """The same time by the kernel's clock."""
    given: Count
    """Packets that the tasks gave to the card."""
    burst_packets: Count
    """Most packets that one task gave at once."""
    sent: Register
    """Packets that left, by the card's register."""
    received: Register
    """Packets that came to the card, by its register."""
    probes_sent: Count
    probes_back: Count
    latency: Stamped
    kind: Literal["done"] = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentLoad:
    """One load that was sent to its end."""

    ready: Ready
    seconds: tuple[Second, ...]
    done: Done


_LINE: TypeAdapter[Ready | Second | Done] = TypeAdapter(
    Annotated[Ready | Second | Done, Field(discriminator="kind")]
)


def read_log(output: str) -> SentLoad:
    """Read what MoonGen printed.

    Raises
    ------
    LinerateError
        The script did not come to its end, or a line of its is not one.
    """
    lines = output.splitlines()
    ours = [_line(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]
    ready = [line for line in ours if isinstance(line, Ready)]
    done = [line for line in ours if isinstance(line, Done)]
    if len(ready) != 1 or len(done) != 1:
        words = _words([line for line in lines if not line.startswith(MARK)])
        raise LinerateError(f"MoonGen: it did not come to its end: {words or 'it printed nothing'}")
    seconds = tuple(line for line in ours if isinstance(line, Second))
    return SentLoad(ready=ready[0], seconds=seconds, done=done[0])


def _words(lines: list[str]) -> str:
    """Three lines of MoonGen's own: from its first error, which a trace follows; else the last."""
    plain = [_COLOUR.sub("", line) for line in lines]
    errors = (at for at, line in enumerate(plain) if line.startswith(_ERRORS))
    first = next(errors, max(0, len(plain) - 3))
    return last_words("\n".join(plain[first : first + 3]))


def _line(text: str) -> Ready | Second | Done:
    try:
        return _LINE.validate_json(text, strict=True)
    except ValidationError as error:
        raise LinerateError(f"MoonGen: its answer cannot be read: {text[:200]!a}") from error
