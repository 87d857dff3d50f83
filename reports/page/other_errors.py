"""Errors of costs of operations and of chains: how far off each is on what it had not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from linerate.models.validation.latency import ALL
from linerate.models.validation.spread import Spread, spread
from linerate.reports.figures.errors import spread_text
from linerate.reports.figures.throughput.by_split import SORTS
from linerate.reports.language import Words, message
from linerate.reports.section import Section
from linerate.reports.studies import Grid

QUANTITIES = {
    "round trip mean": message("mean round trip"), "round trip p50": message("median round trip"),
    "time of a packet in overload": message("time of a packet in overload"),
}  # fmt: skip
NOTHING = Grid(header=(), rows=())


def operation_numbers(section: Section) -> pd.DataFrame:
    """Errors of times by costs of operations: ``by, cells, answered, error_*, ...``, %."""
    found = section.mix_scores
    rows: list[dict[str, object]] = [
        {"by": one.sort, "cells": one.cells, "answered": one.answered,
         **numbers_of("error", one.error), "median_coverage": one.median_coverage,
         "median_half_width_percent": one.median_half_width_percent}
        for one in (found.scores if found is not None else ())
    ]  # fmt: skip
    if found is not None and found.noise_floor is not None:
        rows.append({"by": "noise floor", **numbers_of("error", found.noise_floor)})
    return pd.DataFrame(rows)


def operations_grid(section: Section, words: Words) -> Grid:
    """Print them, what a perfect model would score last."""
    found = section.mix_scores
    if found is None:
        return NOTHING
    rows = [
        (words(SORTS[one.sort]), words.number(one.cells), words.number(one.answered),
         spread_text(one.error, words), words.number(100.0 * one.median_coverage))
        for one in found.scores
    ]  # fmt: skip
    if found.noise_floor is not None:
        rows.append((words("noise floor"), "", "", spread_text(found.noise_floor, words), ""))
    header = (words("held out"), words("cells"), words("inside the measured range"),
              words("error, median / mean (%)"), words("inside the 90 % interval (%)"))  # fmt: skip
    return Grid(header=header, rows=tuple(rows))


def chain_numbers(section: Section) -> pd.DataFrame:
    """Errors of chains: ``quantity, chain, runs, error_*, noise_floor_*``, %."""
    return pd.DataFrame([
        {"quantity": one.quantity, "chain": one.name, "runs": one.runs,
         **numbers_of("error", one.error), **numbers_of("noise_floor", one.noise_floor)}
        for one in (section.chain_scores.scores if section.chain_scores is not None else ())
    ])  # fmt: skip


def chains_grid(section: Section, words: Words) -> Grid:
    """Print them: all chains, then each kind."""
    if section.chain_scores is None:
        return NOTHING
    rows = [
        (words(QUANTITIES[one.quantity]), words("all") if one.name == ALL else one.name,
         words.number(one.runs), spread_text(one.error, words),
         spread_text(one.noise_floor, words))
        for one in section.chain_scores.scores
    ]  # fmt: skip
    header = (words("predicted"), words("chain"), words("runs"), words("error, median / mean (%)"),
              words("single runs from the others of their cell (%)"))  # fmt: skip
    return Grid(header=header, rows=tuple(rows))


def operations_sentence(section: Section, words: Words) -> str:
    """Say how far off packets are that the costs of operations had not seen; empty without any."""
    found = section.mix_scores
    if found is None or not found.answered:
        return ""
    off = np.array([one.predicted_ns / one.measured_ns - 1.0 for one in found.answered])
    return words(
        "The fitted costs predict the time of packets that they had not seen {error} % off, "
        "median / mean of {n}; a perfect model would score {floor} %.",
        error=spread_text(spread(off), words), n=len(off),
        floor=spread_text(found.noise_floor, words),
    )  # fmt: skip


def numbers_of(name: str, found: Spread | None) -> dict[str, Any]:
    """Columns of median and mean of errors; none where there are none."""
    if found is None:
        return {}
    return {f"{name}_median_percent": found.median_percent,
            f"{name}_mean_percent": found.mean_percent}  # fmt: skip
