"""What ``client.py`` says of one load, and what makes it doubtful."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from linerate.errors import LinerateError
from linerate.measure.generators.external.dpdk_load import surplus_words
from linerate.measure.generators.live_frames import last_words
from linerate.measure.remote.protocol import Count, Histogram, Register, Words

MARK = "LINERATE "
CPU_PERCENT_MAX = 90.0
RECEIVE_ERROR_RATIO_MAX = 0.001
ENDED_EARLY_RATIO = 0.99
MICROS_MAX = 10**12
"""Eleven days: no probe is on its way for so long."""
Micros = Annotated[float, Field(ge=0, le=MICROS_MAX, allow_inf_nan=False)]
Bound = Annotated[int, Field(ge=0, le=MICROS_MAX)]
FIRST_BUCKET_US = 10
"""All that took less is in one bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TRexCounts:
    """One load that was sent to its end."""

    sent: Register
    received: Register
    send_errors: Count
    receive_errors: Count
    """Frames that the generator's own card lost on their way back."""
    histogram: Annotated[tuple[tuple[Bound, Count], ...], Field(max_length=256)]
    """Pairs (lower bound in us, probes): 0, then one digit of each power of ten."""
    max_us: Micros
    warnings: Annotated[tuple[Words, ...], Field(max_length=5)]
    cpu_percent: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """Most that the server's cores were busy."""
    queue_full: Count
    """Times that a core found the card's ring full, and tried again."""
    lasted_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """From the start to the end of sending, as the client saw it."""


_COUNTS = TypeAdapter(TRexCounts)


def read_counts(checks: str) -> TRexCounts:
    """Read what the client printed.

    Raises
    ------
    LinerateError
        It did not come to its end, or its line is not one.
    """
    ours = [line.removeprefix(MARK) for line in checks.splitlines() if line.startswith(MARK)]
    if len(ours) != 1:
        raise LinerateError(f"TRex: no counts: {last_words(checks) or 'its client checks nothing'}")
    try:
        return _COUNTS.validate_json(ours[0], strict=True)
    except ValidationError as error:
        raise LinerateError(f"TRex: its answer cannot be read: {ours[0][:200]!a}") from error


def latency_of_counts(counts: TRexCounts) -> Histogram | None:
    """State the probes' latencies; None where none came back.

    TRex's own average is smoothed from one look to the next and begins at zero, so the sum is that
    of the buckets' middles. A bucket is one digit wide: 10 us up to 100 us, 100 us up to 1 ms.

    Examples
    --------
    >>> from dataclasses import replace
    >>> none = TRexCounts(
    ...     sent=9, received=9, send_errors=0, receive_errors=0, histogram=(), max_us=0.0,
    ...     warnings=(), cpu_percent=1.0, queue_full=0, lasted_s=1.0,
    ... )
    >>> latency_of_counts(replace(none, histogram=((20, 3), (100, 1)), max_us=120.0)).sum_ns
    195000
    """
    buckets = tuple(sorted((us, count) for us, count in counts.histogram if count))
    if not buckets:
        return None
    max_us = max(counts.max_us, float(buckets[-1][0]))
    middles_us = ((min(us + _width_us(us) / 2, max_us), count) for us, count in buckets)
    return Histogram(
        sum_ns=round(sum(us * count for us, count in middles_us) * 1e3),
        max_ns=round(max_us * 1e3),
        buckets=tuple((us * 1000, count) for us, count in buckets),
    )


def _width_us(lower_us: int) -> float:
    return float(10 ** (len(str(lower_us)) - 1)) if lower_us >= FIRST_BUCKET_US else FIRST_BUCKET_US


def doubts(counts: TRexCounts, seconds: float) -> tuple[str, ...]:
    """Name what makes counts doubtful, given how long was to be sent."""
    sent = max(counts.sent, 1)
    checks = {
        f"the generator's card lost {counts.receive_errors} frames that had come back":
            counts.receive_errors > RECEIVE_ERROR_RATIO_MAX * sent,
        f"TRex's cores were {counts.cpu_percent:.0f} % busy: give it more of them":
            counts.cpu_percent > CPU_PERCENT_MAX,
        f"TRex sent for {counts.lasted_s:.3g} s of {seconds:.3g}":
            counts.lasted_s < ENDED_EARLY_RATIO * seconds,
    }  # fmt: skip
    surplus = surplus_words(counts.sent, counts.received)
    warnings = (f"TRex warns: {warning}" for warning in counts.warnings)
    return (
        *filter(None, [surplus]),
        *(words for words, holds in checks.items() if holds),
        *warnings,
    )
