"""All that a report says: its parts, and what it says of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linerate.reports.language import Words
from linerate.reports.page.page import Contents, Headings, SectionPage


def contents_of(
    parts: Sequence[SectionPage], words: Words, *, commands: Sequence[str], made: str
) -> Contents:
    """Put the parts under one title.

    Parameters
    ----------
    parts
        One for each machine.
    words
        Of the language that they are in.
    commands
        That make the report again.
    made
        Date and time, UTC.
    """
    of_capacity = any(part.of_capacity for part in parts)
    several = words("Machines are not pooled; each has its own part:")
    return Contents(
        lang=words.lang, parts=tuple(parts), commands=tuple(commands),
        title=words("Does it sustain line rate?") if of_capacity else words("What was measured"),
        made=words("linerate report, made {date} UTC", date=made),
        apart=several if len(parts) > 1 else "", headings=headings(words),
        method=tuple(method(words, of_capacity=of_capacity)),
    )  # fmt: skip


def headings(words: Words) -> Headings:
    """Say what stands above each part."""
    return Headings(
        answer=words("The answer"), unanswered=words("See the figures."),
        model=words("The fitted model"), figures=words("Figures"), tables=words("Tables"),
        omitted=words("Figures left out"), doubts=words("What to distrust"),
        provenance=words("Method and provenance"), notes=words("Notes"),
        method=words("How this was found"), commands=words("Commands to repeat it"),
        explorer=words("Any other cell"),
    )  # fmt: skip


def method(words: Words, *, of_capacity: bool) -> Iterator[str]:
    """Say how rates, constants, errors and intervals come about."""
    yield words("Frame sizes count the 4-byte FCS; on the wire each frame takes 20 bytes more. "
                "Line rate = link speed / (8 * (frame + 20)); Gbit/s beside a rate are of frames "
                "with FCS.")  # fmt: skip
    yield words("A cell is one combination of datapath, program, accesses, queues, frame size and "
                "load. Its rate is the median of its repetitions; campaigns of linerate load the "
                "program anew for each.")  # fmt: skip
    if not of_capacity:
        return
    yield words("Capacity is the smallest of named limits: line rate, NIC, CPU time per packet. "
                "Constants are fitted to runs that were judged valid or suspect.")  # fmt: skip
    yield words("Errors are of whole (datapath, program, queues, accesses) groups that were held "
                "out: runs of one program load share a random effect, and a random split would "
                "leak it.")  # fmt: skip
    yield words("Intervals are conformal, from errors on groups held out, and hold 90 % of single "
                "loads inside what was measured; outside nothing is promised.")  # fmt: skip
