"""One log by itself, of MoonGen, sar or perf, or a CSV of many runs, with its mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from linerate.errors import BadInputError, bad_input
from linerate.measure.importers.csv_table import Row, read_csv_rows
from linerate.measure.importers.defects import Defect, Finding
from linerate.measure.importers.imported import Imported, runs_table
from linerate.measure.importers.mapping import Mapping
from linerate.measure.importers.moongen import parse_moongen
from linerate.measure.importers.perf import parse_perf
from linerate.measure.importers.run_logs import generator_defects, perf_defects
from linerate.measure.importers.sar import parse_sar
from linerate.measure.importers.sources import read_source_file
from linerate.measure.importers.steady import Steady
from linerate.units import line_rate_mpps

EVENT_COLUMNS = {
    "cycles": "cycles_per_packet", "instructions": "instructions_per_packet",
    "branches": "branches_per_packet", "branch-misses": "branch_misses_per_packet",
    "L1-dcache-loads": "l1_loads_per_packet",
    "L1-dcache-load-misses": "l1_load_misses_per_packet",
    "LLC-load-misses": "llc_load_misses_per_packet",
}  # fmt: skip
"""Event of perf -> column."""
Read = tuple[list[Row], list[Defect]]


def import_single(kind: str, path: Path, mapping: Mapping) -> Imported:
    """Read one log as its mapping says.

    Raises
    ------
    BadInputError
        It cannot be read, or log and mapping together do not make a row of the table of runs.
    """
    file = read_source_file(path)
    try:
        rows, defects = SINGLE_LOGS[kind](file.text(), mapping, file.path)
    except UnicodeDecodeError as error:
        raise bad_input("path", path, why="it is no UTF-8", allowed="UTF-8 text",
                        do="convert it: iconv -f latin1 -t utf-8")  from error  # fmt: skip
    except ValueError as error:
        if isinstance(error, BadInputError):
            raise
        raise bad_input("path", path, why=f"it is no log of {kind} ({error})",
                        allowed=f"what {kind} wrote", do="check the file") from error  # fmt: skip
    names = "+".join(sorted({defect.name for defect in defects}))
    rows = [_facts(mapping, row, kind, file.path) | row | {"defects": names} for row in rows]
    label = f"{kind} {file.path}"
    return Imported(
        runs=runs_table(rows), left_out=(), files=1,
        findings=tuple(Finding(run=label, path=file.path, defect=found) for found in defects),
    )  # fmt: skip


def _facts(mapping: Mapping, row: Row, kind: str, name: str) -> Row:
    """Complete what the mapping says of the run; a log's own words stand above it."""
    defaults: Row = {"source": name, "repetition": 1, "unstable": False, "forwarded_from": kind}
    facts = defaults | {key: value for key, value in mapping.run if value is not None}
    if facts.get("offered_mpps") == "line":
        known = facts | row
        missing = [key for key in ("link_gbps", "frame_bytes") if known.get(key) is None]
        if missing:
            raise bad_input("run.offered_mpps", "line", why=f"without {', '.join(missing)} there "
                            "is no line rate", allowed="both", do="add them")  # fmt: skip
        line_mpps = line_rate_mpps(float(str(known["link_gbps"])), float(str(known["frame_bytes"])))
        facts["offered_mpps"] = float(line_mpps)
    return facts


def _csv(text: str, mapping: Mapping, name: str) -> Read:
    if mapping.csv is None:
        raise bad_input("map", "[csv]", why="the table is missing", allowed="[csv] with columns",
                        do="add it (docs/method.md)")  # fmt: skip
    return read_csv_rows(text, mapping.csv, name)


def _sar(text: str, mapping: Mapping, name: str) -> Read:
    if mapping.sar is None:
        raise bad_input("map", "[sar]", why="the table is missing", allowed="[sar] with interface",
                        do="add it (docs/method.md)")  # fmt: skip
    log = parse_sar(text, mapping.sar.interface)
    steady = log.sent() if mapping.sar.counter == "tx" else log.received()
    if steady is None:
        raise ValueError(f"no traffic of {mapping.sar.interface} in {log.tx_pps.size} samples")
    checks = (
        ("decimal_comma", log.decimal_comma, ""),
        ("cut_short", log.cut_short, ""),
        ("log_appended", log.stretches > 1, f"{log.stretches} stretches"),
    )
    defects = [Defect(name=defect, detail=detail) for defect, so, detail in checks if so]
    row = _steady_row(steady) | {"cpu_busy_ratio": log.busy(mapping.run.queues or 1)}
    return [row], defects + _unsteady(steady)


def _moongen(text: str, mapping: Mapping, name: str) -> Read:
    log = parse_moongen(text)
    steady = log.received(mapping.moongen.skip_seconds)
    if steady is None:
        raise ValueError(f"{log.rx_s.size} readings of the receiver are too few for a rate")
    row = _steady_row(steady)
    row["forwarded_mpps"] = steady.mpps / mapping.moongen.clock_ratio
    row["latency_mean_us"] = log.latency_us()
    return [row], generator_defects(log) + _unsteady(steady)


def _perf(text: str, mapping: Mapping, name: str) -> Read:
    log = parse_perf(text)
    rate_mpps = mapping.run.forwarded_mpps
    if not rate_mpps:
        raise bad_input("run.forwarded_mpps", rate_mpps, why="perf counts no packets, so events a "
                        "packet need their rate", allowed="> 0", do="add it")  # fmt: skip
    row: Row = {"duration_s": log.elapsed_s}
    if not log.counts_command_only:
        packets = rate_mpps * 1e6 * log.elapsed_s
        row |= {column: log.counts[event] / packets for event, column in EVENT_COLUMNS.items()
                if event in log.counts}  # fmt: skip
    return [row], perf_defects(log)


def _steady_row(steady: Steady) -> Row:
    return {
        "forwarded_mpps": steady.mpps,
        "unstable": steady.unsteady,
        "duration_s": steady.duration_s,
    }


def _unsteady(steady: Steady) -> list[Defect]:
    spread = f"scatters by {steady.spread_ratio:.1%}"
    return [Defect(name="rate_unsteady", detail=spread)] if steady.unsteady else []


SINGLE_LOGS: dict[str, Callable[[str, Mapping, str], Read]] = {
    "moongen": _moongen,
    "sar": _sar,
    "perf": _perf,
    "csv": _csv,
}
"""Kind of log -> how it is read."""
