"""What ``perf stat`` printed for people: counts of events, in either kind of separators."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from linerate.measure.importers.defects import Defect

_COMMAND = re.compile(r"Performance counter stats for '?(.*?)'?:\s*$", re.M)
_ELAPSED = re.compile(r"^\s*(\S+)\s+seconds time elapsed", re.M)
_EVENT = re.compile(r"^\s*(<not counted>|<not supported>|[\d.,\u202f]+)\s+(?:msec\s+)?([\w.:/=-]+)"
                    r"(?:\s|$)", re.M)  # fmt: skip
WHOLE_MACHINE = ("system wide", "CPU(s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfLog:
    """Counts of one measurement; the last of a file that holds several."""

    command: str
    """What was measured, as perf names it: a command, or ``system wide``."""
    elapsed_s: float
    counts: Mapping[str, float]
    """Event -> count; events that were not counted are left out."""
    not_counted: tuple[str, ...]
    runs: int
    """Measurements in the file."""
    decimal_comma: bool

    @property
    def counts_command_only(self) -> bool:
        """Whether a command was counted, not the machine: packets are the kernel's work."""
        return not any(word in self.command for word in WHOLE_MACHINE)


def parse_perf(text: str) -> PerfLog:
    """Read the last measurement of a file.

    Raises
    ------
    ValueError
        It is not an output of perf stat, or was cut short.
    """
    starts = list(_COMMAND.finditer(text))
    if not starts:
        raise ValueError("there is no 'Performance counter stats for' in it")
    last = text[starts[-1].end() :]
    elapsed = _ELAPSED.search(last)
    if elapsed is None:
        raise ValueError("it ends before 'seconds time elapsed'")
    comma = "," in elapsed[1]
    events = {name: got for got, name in _EVENT.findall(last[: elapsed.start()])}
    return PerfLog(
        command=starts[-1][1], elapsed_s=_number(elapsed[1], comma=comma),
        counts={n: _number(got, comma=comma) for n, got in events.items() if got[0] != "<"},
        not_counted=tuple(name for name, got in events.items() if got[0] == "<"),
        runs=len(starts), decimal_comma=comma,
    )  # fmt: skip


def _number(text: str, *, comma: bool) -> float:
    thousands, decimal = (".", ",") if comma else (",", ".")
    return float(text.replace("\u202f", "").replace(thousands, "").replace(decimal, "."))


def perf_defects(log: PerfLog) -> list[Defect]:
    """Name what perf's log gets wrong by itself."""
    found = []
    if log.runs > 1:
        found.append(Defect(name="log_appended", detail=f"perf: {log.runs} measurements"))
    if log.counts_command_only:
        instructions = log.counts.get("instructions")
        counted = f", {instructions:.0f} instructions" if instructions is not None else ""
        found.append(Defect(name="perf_counts_command", detail=f"'{log.command}'{counted}"))
    if log.not_counted:
        names = ", ".join(log.not_counted)
        found.append(Defect(name="events_not_counted", detail=names))
    return found
