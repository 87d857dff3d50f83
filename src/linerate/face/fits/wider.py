"""What a pipeline waits for, and what it would take with longer metadata fields, which do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.following.outcomes import Entries
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.measure.datapaths.swx.spec.widened import longer, waiting_fields, widened
from linerate.models.pipelines import PathCase
from linerate.units import short


@dataclass(frozen=True, slots=True, kw_only=True)
class Wider:
    """The worst case of the same pipeline with longer metadata fields."""

    fields: tuple[str, ...]
    """Declared as 64 bits there: those that waits are about."""
    worst: PathCase | None = None
    """Its lines are those of the text that DPDK would get."""
    refused: str = ""
    """Why DPDK would not take it; else empty."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        worst = self.worst.to_dict() if self.worst is not None else None
        return {"fields": list(self.fields), "worst": worst, "refused": self.refused}

    def __str__(self) -> str:
        names = ", ".join(f"m.{name}" for name in self.fields)
        then = (f"the worst case would take {short(self.worst.packet_ns, 4)} ns"
                if self.worst is not None else f"it would be refused: {self.refused}")  # fmt: skip
        return f"Fields of 64 bits do not wait for each other. With {names} declared so {then}."


def wider_of(
    spec: Spec, entries: Entries | None, worst: PathCase,
    worst_of: Callable[[Spec, Entries | None], PathCase],
) -> Wider | None:  # fmt: skip
    """Ask what the worst case would take with longer fields.

    Parameters
    ----------
    spec, entries
        The pipeline, and of its tables, where they are known.
    worst
        Its worst case.
    worst_of
        Prices the worst case of a pipeline and its entries.

    Returns
    -------
    The answer; None where no metadata field is waited for.
    """
    fields = waiting_fields(spec, (wait for wait, _ in worst.waits))
    if not fields:
        return None
    try:
        long = widened(spec, fields)
    except BadInputError as error:
        return Wider(fields=fields, refused=str(error))
    there = longer(spec, long, entries) if entries is not None else None
    return Wider(fields=fields, worst=worst_of(long, there))


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
