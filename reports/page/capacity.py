"""What a page says of capacity: verdicts, the model, its errors, and what limits the cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from linerate.line_rate import sustains
from linerate.models.runs.limit_names import LIMIT_NAMES
from linerate.models.validation.latency import ALL
from linerate.reports.figures.errors import spread_text
from linerate.reports.figures.load.panels_by_load import STATISTIC_NAMES
from linerate.reports.language import Words, message
from linerate.reports.language.conditions import accesses_text
from linerate.reports.language.names import datapath_rank, path_names
from linerate.reports.page import answers, other_errors
from linerate.reports.page.answers import Best
from linerate.reports.page.page import Verdict, VerdictGrid
from linerate.reports.section import Section
from linerate.reports.studies import STUDY_KINDS, Grid


def answer_sentences(section: Section, words: Words) -> tuple[str, ...]:
    """Say what each path does at best with the smallest frame, and what the studies found."""
    there = section.studies
    found = [sentence for study in STUDY_KINDS if study.name in there
             for sentence in study.answer(section, words)]  # fmt: skip
    if costs := other_errors.operations_sentence(section, words):
        found.append(costs)
    if "capacity" not in there:
        return tuple(found)
    best = answers.best_of_each_path(section)
    names = path_names([(one.datapath, one.program) for one in best])
    sentences = [_sentence(one, names[one.datapath, one.program], words) for one in best]
    return (*(sentences or [_why_no_verdict(section, words)]), *found)


def _why_no_verdict(section: Section, words: Words) -> str:
    """Say what is missing for a verdict, and what there is instead."""
    if section.predictor is None or section.training is None:
        return words("No verdict: no model could be fitted.")
    if not np.isfinite(section.training.cells.link_gbps).any():
        why = words("No verdict: no link speed is known, so that there is no line rate.")
    else:
        why = words("No verdict: line rate was offered in no run.")
    if section.latency is None:
        return why
    return why + " " + words("What a load costs in latency and CPU is below.")


def _sentence(best: Best, name: str, words: Words) -> str:
    rate = words.number(best.line_rate_mpps, 4)
    start = words("At {size} B ({rate} Mpps) {path}", size=words.number(best.frame_bytes),
                  rate=rate, path=name)  # fmt: skip
    queues, accesses = words.queues(best.queues), accesses_text(best.accesses, words)
    if best.sustains and best.all_accesses:
        return words(
            "{start} sustains line rate with {queues} at every access count that was measured, up "
            "to {accesses} per packet.", start=start, queues=queues, accesses=accesses,
        )  # fmt: skip
    if best.sustains:
        about = accesses_text(float(f"{best.accesses:.2g}"), words)
        return words("{start} sustains line rate with {queues} up to about {accesses} per packet.",
                     start=start, queues=queues, accesses=about)  # fmt: skip
    return words(
        "{start} does not sustain line rate: with {queues} and {accesses} per packet it forwards "
        "{mpps} Mpps ({low} to {high}, 90 % of loads), limited by {limit}.",
        start=start, queues=queues, accesses=accesses,
        mpps=words.number(best.predicted_mpps), low=words.number(best.lower_mpps),
        high=words.number(best.upper_mpps), limit=words(LIMIT_NAMES[best.bottleneck]),
    )  # fmt: skip


def verdict_grid(section: Section, words: Words) -> VerdictGrid:
    """Rows by path and queues, columns by frame size."""
    table = answers.verdict_table(section)
    if table.empty:
        return VerdictGrid(header=(), rows=())
    sizes = sorted(table["frame_bytes"].unique())
    rows = []
    for name, queues, own in _by_path(table):
        by_size = {row["frame_bytes"]: _verdict(row, words) for _, row in own.iterrows()}
        rows.append((name, words.number(queues), *(by_size.get(size, "") for size in sizes)))
    header = (words("path"), words("queues"),
              *(words("{n} B", n=words.number(size)) for size in sizes))  # fmt: skip
    return VerdictGrid(header=header, rows=tuple(rows))


def _verdict(row: pd.Series, words: Words) -> Verdict:
    found = answers.tone(row)
    text = {"no": words("no"), "unknown": words("not known")}.get(found, "")
    detail = []
    if found == "yes":
        text = words("yes, ≤ {n}", n=words.number(row["most_accesses"]))
    elif found == "partly":
        text = f"≤ {words.about(row['likely_to'])}"
    if found in ("yes", "partly") and pd.notna(row["sure_to"]):
        detail.append(words("90 % sure: ≤ {n}", n=words.about(row["sure_to"])))
    detail.append(words("measured: {seen}", seen=_seen(row, words)))
    return Verdict(text=text, detail="; ".join(detail), tone=found)


def _seen(row: pd.Series, words: Words) -> str:
    """Say where line rate was measured to be sustained, and where not."""
    yes, no = row["measured_yes_to"], row["measured_no_from"]
    if yes >= no:
        return words("yes and no from {low} to {high}", low=words.number(no),
                     high=words.number(yes))  # fmt: skip
    seen = [words("yes ≤ {n}", n=words.number(yes))] if pd.notna(yes) else []
    seen += [words("no ≥ {n}", n=words.number(no))] if pd.notna(no) else []
    return ", ".join(seen)


def constants_grid(section: Section, words: Words) -> Grid:
    """Fitted constants with their intervals."""
    found = sorted(answers.constants(section), key=lambda one: datapath_rank(one.datapath))
    names = path_names([(one.datapath, one.program) for one in found])
    rows = [
        (names[one.datapath, one.program], one.name, words.number(one.value, 4),
         words("{low} to {high}", low=words.number(one.lower), high=words.number(one.upper)))
        for one in found
    ]  # fmt: skip
    header = (words("path"), words("constant"), words("value"), words("90 % interval"))
    return Grid(header=header, rows=tuple(rows))


def errors_grid(section: Section, words: Words) -> Grid:
    """Errors on cells not seen, beside the noise floor."""
    if section.validation is None:
        return Grid(header=(), rows=())
    scores = section.validation.scores
    rows = [
        (words("all cells"), spread_text(scores.error, words),
         spread_text(scores.noise_floor, words)),
        (words("cells below line rate and offered load"), spread_text(scores.service_error, words),
         spread_text(scores.service_noise_floor, words)),
    ]  # fmt: skip
    header = ("", words("error, median / mean (%)"), words("noise floor, median / mean (%)"))
    return Grid(header=header, rows=tuple(rows))


def load_errors_grid(section: Section, words: Words) -> Grid:
    """Errors of latency and CPU on load-latency runs not seen, beside those of single runs."""
    rows = [
        (words(STATISTIC_NAMES[score.quantity]), words.number(score.runs),
         spread_text(score.error, words), spread_text(score.noise_floor, words))
        for score in (section.latency_scores.scores if section.latency_scores else ())
        if score.name == ALL
    ]  # fmt: skip
    rows += [
        (words("CPU share"), words.number(score.runs),
         words("{points} percentage points", points=words.number(score.points)), "")
        for score in (section.cpu_scores.scores if section.cpu_scores else ())
        if score.name == ALL
    ]  # fmt: skip
    header = (words("of latency"), words("runs"), words("error, median / mean (%)"),
              words("single runs from the others of their cell (%)"))  # fmt: skip
    return Grid(header=header if rows else (), rows=tuple(rows))


def scores_sentence(section: Section, words: Words) -> str:
    """Verdicts and intervals on cells not seen; empty without validation."""
    if section.validation is None:
        return ""
    scores = section.validation.scores
    sentences = [words(
        "{inside} % of the loads of held-out cells lay inside the 90 % interval of one load, whose "
        "half-width is {width} % on average; {medians} % of their medians lay inside that of "
        "medians, {narrower} %.",
        inside=words.number(100.0 * scores.coverage), width=words.number(scores.half_width_percent),
        medians=words.number(100.0 * scores.median_coverage),
        narrower=words.number(scores.median_half_width_percent),
    )]  # fmt: skip
    if scores.verdict_accuracy is not None:
        sentences.append(words("The verdict on line rate was right for {right} % of those that "
                               "were offered it.",
                               right=words.number(100.0 * scores.verdict_accuracy)))  # fmt: skip
    equal = _cells_at_their_load(section.validation.frame)
    if equal:
        sentences.append(words(
            "Of {n} of the {all} cells all that was offered was forwarded: where a device keeps "
            "up, its rate is the offered one, and a small error says little.",
            n=equal, all=scores.cells,
        ))  # fmt: skip
    return " ".join(sentences)


def _cells_at_their_load(frame: pd.DataFrame) -> int:
    """Count cells below line rate that forwarded all they were offered."""
    offered = frame[frame["ceiling_mpps"] < frame["line_rate_mpps"]]
    return int(sustains(offered["measured_mpps"], offered["ceiling_mpps"]).sum())


FORMULAS = ("mixes", "latency", "round_trips", "chain_times")
"""Kinds of models whose formulas stand below that of capacity."""
FORMULA_TERMS = (
    message("a wake-up takes the core"), message("line rate"), message("idle share"),
    message("in overload"), message("of stalls"), message("accesses"), message("bytes"),
    message("latency"), message("waking"), message("queues"), message("time of a packet"),
    message("settings"), message("setting"), message("steps"), message("misses"), message("miss"),
    message("interaction"), message("waits"), message("what steps that take turns could hide"),
    message("mean round trip"), message("median round trip"), message("packet"),
    message("functions"),
)  # fmt: skip
"""Words of the laws as models print them; of two that begin alike the longer one first."""


def formula_text(section: Section, words: Words) -> str:
    """Print the fitted laws as the models print them, their words in the reader's language."""
    capacity = section.file.capacity_model if section.file is not None else None
    fitted = section.file.fitted if section.file is not None else {"latency": section.latency}
    models = (capacity, *(fitted.get(name) for name in FORMULAS))
    lines = [line for model in models if model is not None for line in str(model).splitlines()]
    return "\n".join(_worded(line, words) for line in lines)


def _worded(line: str, words: Words) -> str:
    path, colon, law = line.partition(": ") if ": " in line else ("", "", line)
    term = rf"\b(?:{'|'.join(FORMULA_TERMS)})\b"
    return path + colon + re.sub(term, lambda found: words(found[0]), law)


def bottleneck_grid(section: Section, words: Words) -> Grid:
    """How many measured cells each limit bounds."""
    rows = []
    for name, queues, own in _by_path(answers.bottleneck_table(section)):
        limits = [
            words.plural(
                "{limit}: {n} cell", "{limit}: {n} cells", count, limit=words(LIMIT_NAMES[limit])
            )
            for limit, count in zip(own["bottleneck"], own["cells"], strict=True)
        ]
        rows.append((name, words.number(queues), "; ".join(limits)))
    header = (words("path"), words("queues"), words("limited by"))
    return Grid(header=header, rows=tuple(rows))


def _by_path(table: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Rows of each path and queue count, paths named, datapaths in their order."""
    names = path_names(list(zip(table["datapath"], table["program"], strict=True)))
    ranked = table.assign(rank=table["datapath"].map(datapath_rank))
    for _, own in ranked.groupby(["rank", "datapath", "program", "queues"]):
        first = own.iloc[0]
        yield names[first["datapath"], first["program"]], int(first["queues"]), own
