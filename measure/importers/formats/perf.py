"""Output of perf stat for the whole machine: events per packet."""

from __future__ import annotations

from linerate.errors import bad_input
from linerate.measure.importers.importer import Log, LogFormat, LogRead, NoTable, Row
from linerate.measure.importers.logs.perf import parse_perf, perf_defects

EVENT_COLUMNS = {
    "cycles": "cycles_per_packet", "instructions": "instructions_per_packet",
    "branches": "branches_per_packet", "branch-misses": "branch_misses_per_packet",
    "L1-dcache-loads": "l1_loads_per_packet",
    "L1-dcache-load-misses": "l1_load_misses_per_packet",
    "LLC-load-misses": "llc_load_misses_per_packet",
}  # fmt: skip
"""Event of perf -> column."""


def _read(log: Log[NoTable]) -> LogRead:
    counted = parse_perf(log.text)
    rate_mpps = log.run.forwarded_mpps
    if not rate_mpps:
        raise bad_input("run.forwarded_mpps", rate_mpps, why="perf counts no packets, and events "
                        "per packet need their rate", allowed="> 0", do="add it")  # fmt: skip
    row: Row = {"duration_s": counted.elapsed_s}
    if not counted.counts_command_only:
        packets = rate_mpps * 1e6 * counted.elapsed_s
        row |= {column: counted.counts[event] / packets for event, column in EVENT_COLUMNS.items()
                if event in counted.counts}  # fmt: skip
    return LogRead(rows=[row], defects=perf_defects(counted))


IMPORTER = LogFormat(table=NoTable, read=_read)
