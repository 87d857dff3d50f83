"""What logs get wrong: a name for each defect, what it means, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

DEFECTS: Mapping[str, str] = MappingProxyType(
    {
        "generator_missing": "no log of the generator: only the device's own counters are left",
        "sar_missing": "no log of sar: nothing to check the generator's receiver against",
        "perf_missing": "no log of perf",
        "csv_missing": "the generator's CSV is missing; its text log holds the same and is read",
        "logs_differ": "the generator's CSV and text log disagree; the CSV is read",
        "unreadable": "a log cannot be read; the run does without it",
        "cut_short": "the log ends within a line, which is left out",
        "log_appended": "several runs in one file, one behind the other; the last one is read",
        "header_shifted": "the header's rate columns are named one for the other: what it calls "
        "the average is the last poll's rate, the rate is the mean since the start; counters are "
        "read",
        "counter_fell": "a counter went down; the rate over that step is not to be trusted",
        "rx_zero": "the generator received nothing for the whole run",
        "rx_capped": "the generator's receiver counts no more than 12.3 to 12.7 Mpps, whatever "
        "comes",
        "tx_above_line": "the generator says it sent more than the link carries: its card accepts "
        "and drops; line rate is taken as offered",
        "clock_fast": "the generator's seconds are short, so its rates are high; they are divided "
        "by the ratio",
        "rate_unsteady": "the rate changed while it was taken; the run is marked unstable",
        "window_misses_traffic": "no sample of the log lies within the traffic; it is not used",
        "idle_averaged": "sar's own average holds the time before the traffic; steady samples are "
        "averaged instead",
        "cpu_undersampled": "below 0.5 Mpps a core busy shares by ticks are 2 to 5 times too low",
        "decimal_comma": "numbers are written with a decimal comma, as in pt_BR; read as such",
        "latency_missing": "the generator's log has no latencies",
        "latency_coarse": "latencies are written with two decimals of a second, steps of 10 ms; "
        "none is taken",
        "latency_negative": "the running mean of latencies is negative: a clock jumped; the median "
        "over windows is taken",
        "perf_counts_command": "perf counted a command and not the machine, so its numbers have "
        "nothing to do with packets; none is taken",
        "events_not_counted": "events of perf that the machine did not count stay empty",
        "misfiled": "the file lies in the folder of another run; its name is believed",
        "duplicate_log": "the same log of the same run a second time; the first one is read",
        "program_loads_differ": "loads of the same program on the same cell are more than 10 % "
        "apart: a reloaded program runs at another speed; never pool them as noise",
        "separators_ambiguous": "a point before three digits may separate thousands, as in pt_BR; "
        "read as the mapping says",
        "unknown_file": "not of the study's layout; not read",
    }
)
"""Name -> meaning and consequence. The column ``defects`` joins names by +."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """One thing that one log or run gets wrong."""

    name: str
    """A key of ``DEFECTS``, or a name of the format's own."""
    detail: str = ""
    """What was seen: numbers, or the file."""
    why: str = ""
    """Its meaning, where only one format has it; ``DEFECTS`` has the others'."""

    def __post_init__(self) -> None:
        if self.name not in DEFECTS and not self.why:
            raise ValueError(f"defect must be one of {', '.join(DEFECTS)}, got {self.name}")

    @property
    def meaning(self) -> str:
        """What it means, and what was done about it."""
        return self.why or DEFECTS[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A defect and where it was found."""

    run: str
    """The run, or empty where a file belongs to none."""
    path: str
    """The file, or empty where the run as a whole is meant."""
    defect: Defect
