"""The table of searches: one row for each goal of each, its bounds in two columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import pandas as pd

from linerate.box import Box
from linerate.searches import GoalResult, SearchEntry
from linerate.tables.cell_columns import cell_columns
from linerate.tables.columns import KNOWN, Column, Kind
from linerate.tables.settings_columns import with_settings, written
from linerate.tables.tidy import columns_of

CELL_COLUMNS = (
    "repetition", "box", "lab", "mode", "datapath", "program", "memory_accesses", "operations",
    "working_set_bytes", "settings", "queues", "frame_bytes", "frame_mix", "link_gbps",
    "protocol", "tcp_flags", "payload", "sources", "arrivals", "burst_packets", "flows",
)  # fmt: skip
"""Columns that mean what they mean in the table of runs."""
END_COLUMNS = ("box_hash", "program_hash", "git_revision", "started_at", "schema_version")


def _column(name: str, kind: Kind, meaning: str) -> Column:
    return Column(name=name, kind=kind, meaning=meaning)


SEARCH_COLUMNS = (
    KNOWN["campaign"],
    _column("search_id", "text", "one search of one program load; its goals share it"),
    *(KNOWN[name] for name in CELL_COLUMNS),
    _column("preset", "text", "mlrsearch (RFC 9971) or rfc2544"),
    _column("goal", "text", "ndr, pdr, throughput, mrr or back_to_back"),
    _column("goal_loss_ratio", "number", "0..1, a trial that loses more is bad"),
    _column("goal_exceed_ratio", "number", "0..1 of trial time at a load that may be bad"),
    _column("goal_width_ratio", "number", "0..1 of the upper bound that the lower may lie below"),
    _column("initial_trial_s", "number", "s, shortest trial"),
    _column("final_trial_s", "number", "s, trials that decide"),
    _column("duration_sum_s", "number", "s of trials that decide about one load"),
    _column("min_mpps", "number", "Mpps, lowest load of the search"),
    _column("max_mpps", "number", "Mpps, highest load of the search"),
    _column("max_from", "text", "what set max_mpps: line_rate, generator or max_load"),
    _column("lower_mpps", "number", "Mpps, highest load that was carried; empty: none was"),
    _column("upper_mpps", "number", "Mpps, lowest load that was not; empty: none was not"),
    _column("regular", "flag", "both bounds were found"),
    _column("conditional_mpps", "number", "Mpps, conditional throughput at lower_mpps"),
    _column("lower_loss_ratio", "number", "0..1, loss at lower_mpps"),
    _column("limited_by", "text", "device; or what else kept the bound where it is"),
    _column("limited_reason", "text", "why irregular, or not the device's own bound"),
    _column("mrr_mpps", "number", "Mpps, mean rate that came back at max_mpps; goal mrr only"),
    _column("mrr_min_mpps", "number", "Mpps, smallest of these"),
    _column("mrr_max_mpps", "number", "Mpps, largest of these"),
    _column("lower_packets", "count", "longest burst that came back whole; back_to_back only"),
    _column("upper_packets", "count", "shortest burst that did not; empty: none did not"),
    _column("search_trials", "count", "trials of the whole search, repeated ones included"),
    _column("disturbed_trials", "count", "of these, trials in doubt, which were repeated"),
    _column("search_duration_s", "number", "s of all trials of the search together"),
    _column("steal_ratio", "number", "0..1, largest of the trials that counted"),
    KNOWN["drift_ratio"],
    _column(
        "verdict",
        "text",
        "valid, suspect, or invalid where the device failed, of the search as a whole",
    ),
    _column("verdict_reason", "text", "why not valid"),
    *(KNOWN[name] for name in END_COLUMNS),
)
"""Every column, in the order in which they are written."""


def searches_from(
    entries: Sequence[SearchEntry], boxes: Mapping[str, Box], campaign: str, git_revision: str,
    drift: Mapping[str, float] = MappingProxyType({}),
) -> pd.DataFrame:  # fmt: skip
    """Make the table: a row for each goal, and for each other thing that was asked for.

    ``drift`` has the canary's speed around a search over its median, by ``search_id``.
    """
    fixed = {"campaign": campaign, "git_revision": git_revision}
    of_box = columns_of(boxes)
    return _table(entries, lambda entry: fixed | of_box(entry.box), drift)


def searches_alone(entries: Sequence[SearchEntry]) -> pd.DataFrame:
    """Make the table of searches whose campaign, machine and canary are not looked up."""
    return _table(entries, lambda entry: {"campaign": "", "box": entry.box}, {})


def _table(
    entries: Sequence[SearchEntry], of_place: Callable[[SearchEntry], dict[str, str]],
    drift: Mapping[str, float],
) -> pd.DataFrame:  # fmt: skip
    rows = [
        of_place(entry) | _shared(entry, drift.get(entry.search_id, 1.0)) | row
        for entry in entries for row in _rows(entry)
    ]  # fmt: skip
    settings = (name for entry in entries for name, _ in entry.cell.settings)
    names = with_settings([column.name for column in SEARCH_COLUMNS], settings)
    columns = {column.name: column for column in SEARCH_COLUMNS}
    return written(pd.DataFrame(rows, columns=names), columns)


def _shared(entry: SearchEntry, drift_ratio: float) -> dict[str, object]:
    cell = cell_columns(entry.cell)
    shared = {name: cell[name] for name in CELL_COLUMNS if name in cell}
    return (
        shared
        | dict(entry.cell.settings)
        | {
            "search_id": entry.search_id,
            "repetition": entry.repetition,
            "preset": entry.preset,
            "min_mpps": entry.min_mpps,
            "max_mpps": entry.max_mpps,
            "max_from": entry.max_from,
            "search_trials": entry.trials,
            "disturbed_trials": entry.disturbed_trials,
            "search_duration_s": entry.duration_s,
            "steal_ratio": entry.steal_ratio,
            "drift_ratio": drift_ratio,
            "verdict": entry.verdict.state,
            "verdict_reason": "; ".join(entry.verdict.reasons),
            "program_hash": entry.program_hash,
            "started_at": entry.started_at,
            "schema_version": entry.schema_version,
        }
    )


def _rows(entry: SearchEntry) -> Iterator[dict[str, object]]:
    yield from map(_goal_row, entry.results)
    if entry.mrr_mpps:
        yield {
            "goal": "mrr",
            "mrr_mpps": math.fsum(entry.mrr_mpps) / len(entry.mrr_mpps),
            "mrr_min_mpps": min(entry.mrr_mpps),
            "mrr_max_mpps": max(entry.mrr_mpps),
            **_mrr_limit(entry),
        }
    if entry.burst:
        yield {
            "goal": "back_to_back",
            "lower_packets": entry.burst.lower_packets,
            "upper_packets": entry.burst.upper_packets,
        }


def _mrr_limit(entry: SearchEntry) -> dict[str, str]:
    disturbed, trials = entry.mrr_disturbed_trials, len(entry.mrr_mpps)
    if 2 * disturbed <= trials:
        return {}
    reason = f"{disturbed} of {trials} trials at the highest load stayed disturbed"
    return {"limited_by": "host", "limited_reason": reason}


def _goal_row(result: GoalResult) -> dict[str, object]:
    goal, bound = result.goal, result.bound
    return {
        "goal": goal.name,
        "goal_loss_ratio": goal.loss_ratio,
        "goal_exceed_ratio": goal.exceed_ratio,
        "goal_width_ratio": goal.width_ratio,
        "initial_trial_s": goal.initial_trial_seconds,
        "final_trial_s": goal.final_trial_seconds,
        "duration_sum_s": goal.duration_sum_seconds,
        "lower_mpps": bound.lower_mpps,
        "upper_mpps": bound.upper_mpps,
        "regular": result.regular,
        "conditional_mpps": result.conditional_mpps,
        "lower_loss_ratio": result.lower_loss_ratio,
        "limited_by": result.limited_by,
        "limited_reason": result.reason,
    }
