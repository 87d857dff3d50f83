"""What a pipeline waits for, and what it would take with longer metadata fields, which do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linerate.errors import BadInputError
from linerate.face.fits.followed import Asked
from linerate.measure.datapaths.swx.spec.widened import waiting_fields
from linerate.models.pipelines import Cases, PathCase
from linerate.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class Wider:
    """The same pipeline with longer metadata fields."""

    fields: tuple[str, ...]
    """Declared as 64 bits there: those that waits are about."""
    worst: PathCase | None = None
    """Its worst case; lines are those of the text that DPDK would get."""
    ran: PathCase | None = None
    """What its packets took, where it was run."""
    refused: str = ""
    """Why DPDK would not take it; else empty."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        worst, ran = (None if case is None else case.to_dict() for case in (self.worst, self.ran))
        return {"fields": list(self.fields), "worst": worst, "ran": ran, "refused": self.refused}

    def __str__(self) -> str:
        names = ", ".join(f"m.{name}" for name in self.fields)
        then = f"it would be refused: {self.refused}"
        if self.worst is not None:
            then = f"the worst case would take {short(self.worst.packet_ns, 4)} ns"
        if self.ran is not None:
            then = f"a packet of this traffic took {self.ran}"
        return f"Fields of 64 bits do not wait for each other. With {names} declared so {then}."


def wider_of(asked: Asked, worst: PathCase, cases_of: Callable[[Asked], Cases]) -> Wider | None:
    """Ask what the same would take with longer fields.

    Parameters
    ----------
    asked
        What was asked.
    worst
        Its worst case.
    cases_of
        Answers such a question.

    Returns
    -------
    The answer; None where no metadata field is waited for.
    """
    fields = waiting_fields(asked.spec, (wait for wait, _ in worst.waits))
    if not fields:
        return None
    try:
        long = asked.widened(fields)
    except BadInputError as error:
        return Wider(fields=fields, refused=str(error))
    _, expected, worst = cases_of(long)
    return Wider(fields=fields, worst=worst, ran=expected if expected.priced else None)


def waits_lines(worst: PathCase) -> list[str]:
    """Say which instructions of the worst case wait for a write before them, a line each."""
    if not worst.waits:
        return []
    lines = [
        "Waits of the worst case, for a write just before of a part of the 8 bytes that are read; "
        f"without them a packet would take {short(worst.unwaited_ns, 4)} ns:"
    ]
    for wait, times in worst.waits:
        often = f", {times} times" if times > 1 else ""
        lines.append(f"  line {wait.line} for line {wait.write_line}{often}: {wait.code}, behind "
                     f"{wait.write_code}")  # fmt: skip
    return lines
