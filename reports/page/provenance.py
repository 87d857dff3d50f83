"""Where the runs of a report come from: box, campaigns, revisions, and what was judged of them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from linerate.box import Box
from linerate.reports.figures.captions import dates_of
from linerate.reports.language import Words, message
from linerate.reports.language.names import printable
from linerate.reports.section import Section

ABSENT = {"none": message("none"), "unnamed": message("unnamed")}
"""What a box says instead of a name."""
VERDICTS = ("valid", "suspect", "invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of the provenance."""

    name: str
    value: str


def facts_of(section: Section, words: Words) -> tuple[Fact, ...]:
    """Everything known of the machine, the campaigns and the runs."""
    runs = section.runs
    facts = [
        (words("box"), section.box_name),
        *_box_facts(section.box, words),
        (words("campaigns"), _distinct(runs, "campaign")),
        (words("measured"), dates_of(runs, words)),
        (words("lab and mode"), _distinct(runs, "lab", "mode")),
        (words("counted by"), _distinct(runs, "forwarded_from")),
        (words("revision that measured"), _distinct(runs, "git_revision")),
        (words("program hashes"), _distinct(runs, "program_hash")),
        (words("runs"), judged(runs, words)),
    ]
    return tuple(Fact(name=name, value=value or words("not recorded")) for name, value in facts)


def _box_facts(box: Box | None, words: Words) -> list[tuple[str, str]]:
    if box is None:
        return [(words("machine"), words("no box.json of this box beside the table"))]
    cores = ", ".join([
        words.plural("{n} core", "{n} cores", box.cores),
        words.plural("{n} thread each", "{n} threads each", box.threads_per_core),
    ])  # fmt: skip
    mitigations = ", ".join(f"{flaw}: {what}" for flaw, what in box.mitigations.items())
    return [
        (words("machine"), f"{box.cpu_model}, {cores}, {words.number(box.memory_gib)} GiB"),
        (words("NIC"), box.nic),
        (words("kernel"), box.kernel),
        (words("frequency governor"), words(ABSENT.get(box.governor, box.governor))),
        (words("hypervisor"), words(ABSENT.get(box.hypervisor, box.hypervisor))),
        (words("mitigations"), mitigations or words("none")),
    ]


def judged(runs: pd.DataFrame, words: Words) -> str:
    """How many runs were valid, suspect and invalid."""
    if "verdict" not in runs.columns or bool(runs["verdict"].isna().all()):
        return words("{n}, not judged", n=len(runs))
    counts = runs["verdict"].value_counts()
    return words("{n}: {valid} valid, {suspect} suspect, {invalid} invalid", n=len(runs),
                 **{state: int(counts.get(state, 0)) for state in VERDICTS})  # fmt: skip


def _distinct(runs: pd.DataFrame, *columns: str) -> str:
    known = [name for name in columns if name in runs.columns]
    if not known:
        return ""
    rows = runs[known].dropna().drop_duplicates()
    return ", ".join(" ".join(printable(str(value)) for value in row) for row in rows.to_numpy())
