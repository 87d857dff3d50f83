"""The tidy table of runs: its columns, reading it, and refusing what cannot be one."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from linerate.errors import BadInputError, bad_input

DATAPATHS = (
    "xdp_native",
    "xdp_generic",
    "af_xdp",
    "tc",
    "netfilter",
    "nftables",
    "iptables",
    "chain",
    "swx",
)
"""Every datapath that a table may name."""
RUNS_BYTES_MAX = 2 * 1024**3
"""A larger file is refused before it is read."""
LAST_ROW_BYTES_MAX = 64 * 1024
"""How far from its end a CSV file is searched for the start of its last row."""

Kind = Literal["text", "count", "number", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the table."""

    name: str
    kind: Kind
    meaning: str
    """Unit and meaning, as data/README.md prints it."""
    required: bool = False
    """Whether every table has it."""
    nullable: bool = True
    minimum: float = -np.inf


def _column(name: str, kind: Kind, meaning: str, minimum: float = -np.inf) -> Column:
    return Column(name=name, kind=kind, meaning=meaning, minimum=minimum)


def _always(
    name: str, kind: Kind, meaning: str, *, minimum: float = -np.inf, nullable: bool = False
) -> Column:
    return Column(
        name=name, kind=kind, meaning=meaning, required=True, nullable=nullable, minimum=minimum
    )


COLUMNS = (
    _always("campaign", "text", "name of the campaign"),
    _always("source", "text", "where within it: file, folder or lab mode", nullable=True),
    _always("repetition", "count", "which repetition, from 1", minimum=0),
    _always("box", "text", "name of the machine's box file"),
    _always("datapath", "text", "hook and driver path, one of the known datapaths"),
    _always("program", "text", "what runs per packet"),
    _always("memory_accesses", "count", "memory accesses a packet asks for", minimum=0),
    _always("queues", "count", "receive queues, one core each", minimum=1),
    _always("frame_bytes", "number", "B with FCS; the mean of a mix", minimum=1),
    _always("link_gbps", "number", "Gbit/s; inf for no link limit", minimum=1e-9),
    _always("offered_mpps", "number", "Mpps intended over all queues", minimum=0, nullable=True),
    _always("forwarded_mpps", "number", "Mpps that came back", minimum=0),
    _always("forwarded_from", "text", "what counted them", nullable=True),
    _always("cpu_busy_ratio", "number", "0..1 over the queues' cores", minimum=0, nullable=True),
    _always("latency_mean_us", "number", "us, mean one-way latency", nullable=True),
    _always("unstable", "flag", "marked as not repeatable", nullable=True),
    _column("run_id", "text", "one program load; its trials share it"),
    _column("lab", "text", "veth, dpdk or nic"),
    _column("mode", "text", "serial or split"),
    _column("frame_mix", "text", "weight x frame_bytes, joined by +"),
    _column("lcores", "count", "worker cores of a DPDK pipeline; empty for kernel datapaths"),
    _column("operations", "text", "JSON, operation kind -> count per packet"),
    _column("arrivals", "text", "flood, constant, poisson or burst"),
    _column("burst_packets", "count", "packets of one train"),
    _column("flows", "count", "distinct UDP source ports"),
    _column("duration_s", "number", "s of measured sending, all trials together"),
    _column("trials", "count", "trials summed in this row"),
    _column("intended_packets", "count", "packets the generator was told to send"),
    _column("sent_packets", "count", "packets that left the generator"),
    _column("forwarded_packets", "count", "packets the sink counted"),
    _column("dropped_dut_ring", "count", "lost: the device's receive ring was full"),
    _column("dropped_dut_program", "count", "lost: the program's own drop or abort"),
    _column("dropped_dut_tx", "count", "lost: the device could not transmit"),
    _column("dropped_sink_ring", "count", "lost: the sink's ring was full"),
    _column("latency_p50_us", "number", "us, median latency"),
    _column("latency_p90_us", "number", "us, 90th percentile"),
    _column("latency_p99_us", "number", "us, 99th percentile"),
    _column("latency_p999_us", "number", "us, 99.9th percentile"),
    _column("latency_max_us", "number", "us, largest latency seen"),
    _column("cpu_per_core", "text", "JSON list, busy ratio of each queue's core"),
    _column("program_ns", "number", "ns of one pass of the program alone (kernel test run)"),
    _column("contended_ratio", "number", "0..1, largest share a lab thread was kept off its core"),
    _column("steal_ratio", "number", "0..1 of CPU time the hypervisor gave to others"),
    _column("drift_ratio", "number", "speed of the canary cell around then over its median"),
    _column("batch_packets_mean", "number", "mean packets of one NAPI poll; empty: not probed"),
    _column("verdict", "text", "valid, suspect or invalid"),
    _column("verdict_reason", "text", "why not valid"),
    _column("box_hash", "text", "hash of the box's checked metadata"),
    _column("program_hash", "text", "hash of the object file that was loaded"),
    _column("git_revision", "text", "revision of linerate that measured"),
    _column("started_at", "text", "UTC start of the first trial"),
    _column("schema_version", "count", "version of these columns"),
)
"""Every column a table may have, in the order a written table has them."""

KNOWN = {column.name: column for column in COLUMNS}
CELL_FACTORS = ("datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps")
"""What a capacity model may know of a cell."""


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet file as it stands, or say why it is none.

    Raises
    ------
    BadInputError
        Missing, too large, empty, or not of the form its suffix says.
    """
    if path.is_dir():
        path = path / "runs.parquet"
    if not path.is_file():
        raise bad_input(
            "path", path, why="there is no such file", allowed="a .csv or .parquet file, or a "
            "campaign folder with runs.parquet", do="check the path",
        )  # fmt: skip
    if path.stat().st_size > RUNS_BYTES_MAX:
        raise bad_input(
            "path", path, why=f"it has {path.stat().st_size} bytes",
            allowed=f"at most {RUNS_BYTES_MAX}", do="split it",
        )  # fmt: skip
    try:
        table = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    except (ValueError, OSError, UnicodeDecodeError) as error:  # pyarrow's and pandas' own
        raise bad_input(
            "path", path, why=f"it cannot be read as a table ({str(error).splitlines()[0]})",
            allowed="CSV with a header line, or Parquet", do="write it anew from its source",
        ) from error  # fmt: skip
    if table.empty:
        raise bad_input(
            "path", path, why="it has no rows", allowed="at least one row under the header",
            do="measure or import first",
        )  # fmt: skip
    return table


def _read_csv(path: Path) -> pd.DataFrame:
    _refuse_cut_short(path)
    text = {name: str for name, column in KNOWN.items() if column.kind == "text"}
    return pd.read_csv(path, dtype=text, **_exact_floats())  # type: ignore[call-overload,no-any-return]


def _refuse_cut_short(path: Path) -> None:
    """Refuse a file whose last row ends early: pandas would take half a number for a number."""
    with path.open("rb") as file:
        header = file.readline()
        start = file.tell()
        file.seek(max(start, path.stat().st_size - LAST_ROW_BYTES_MAX))
        last = file.read().rstrip().rpartition(b"\n")[2]
    expected, got = (len(next(csv.reader([line.decode()]), [])) for line in (header, last))
    if last and got < expected:
        raise ValueError(f"its last row has {got} fields of {expected}: it was cut short")


def _exact_floats() -> dict[str, str]:
    """Option that makes floats read back exactly; from pandas 3.1 on they do, and it warns."""
    version = tuple(int(number) for number in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def read_runs(paths: Iterable[Path]) -> pd.DataFrame:
    """Read and check one or more tables of runs; rows keep the order of the files.

    Returns
    -------
    Table with at least the required columns, numbers as numbers. Unknown columns are kept.

    Raises
    ------
    BadInputError
        Any file that is no table of runs.
    """
    tables = []
    for path in paths:
        table = read_table(path)
        try:
            tables.append(check_runs(table))
        except BadInputError as error:
            raise BadInputError(f"{path}: {error}") from error
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]


def check_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Refuse a table that lacks columns or holds impossible values."""
    missing = [c.name for c in COLUMNS if c.required and c.name not in table.columns]
    if missing:
        raise bad_input(
            "columns", ", ".join(map(str, table.columns)), why=f"missing {', '.join(missing)}",
            allowed=", ".join(c.name for c in COLUMNS if c.required),
            do="add them (data/README.md says what each means)",
        )  # fmt: skip
    return check_columns(table)


def check_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Check the known columns that a table has; used for runs and for cells to predict."""
    checked = table.copy()
    for name in checked.columns:
        if name in KNOWN:
            checked[name] = _check_column(checked[name], KNOWN[name])
    if "datapath" in checked.columns:
        _check_datapaths(checked["datapath"])
    return checked


def _check_column(values: pd.Series, column: Column) -> pd.Series:
    if not column.nullable and bool(values.isna().any()):
        raise _bad_value(column, "", values.isna(), "a value is missing", "a value in each row")
    if column.kind in ("text", "flag"):
        return values
    numbers = pd.to_numeric(values, errors="coerce")
    not_numbers = numbers.isna() & values.notna()
    if bool(not_numbers.any()):
        got = values[not_numbers].iloc[0]
        raise _bad_value(column, got, not_numbers, "it is not a number", "a plain number, no "
                         "thousands separator")  # fmt: skip
    low = numbers < column.minimum
    if bool(low.any()):
        raise _bad_value(
            column, numbers[low].iloc[0], low, "it is too small", f">= {column.minimum:g}"
        )
    endless = numbers.isin([np.inf, -np.inf]) & (column.name not in ("link_gbps", "offered_mpps"))
    if bool(endless.any()):
        raise _bad_value(column, "inf", endless, "it is endless", "a finite number")
    fraction = (column.kind == "count") & numbers.notna() & (numbers % 1 != 0)
    if bool(fraction.any()):
        raise _bad_value(column, numbers[fraction].iloc[0], fraction, "it is a fraction", "a count")
    return numbers


def _bad_value(
    column: Column, got: object, where: pd.Series, why: str, allowed: str
) -> BadInputError:
    row = int(np.flatnonzero(where.to_numpy())[0]) + 1
    return bad_input(
        column.name, got, why=f"{why} (data row {row})", allowed=allowed,
        do=f"correct the row; {column.name} is: {column.meaning}",
    )  # fmt: skip


def _check_datapaths(values: pd.Series) -> None:
    unknown = sorted(set(values.unique()) - set(DATAPATHS))
    if unknown:
        raise bad_input(
            "datapath", unknown[0], why="no such datapath", allowed=", ".join(DATAPATHS),
            do="use one of these names",
        )  # fmt: skip
