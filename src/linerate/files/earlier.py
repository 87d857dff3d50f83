"""Lines of journals that were begun before a cell's settings were columns."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json

OTHERWISE = {
    "socket": {"hook": "socket_hook", "batch_packets": "socket_batch_packets"},
    "filter": {"hook": "filter_hook", "flavour": "filter_flavour"},
    "chain": {"length": "chain_length", "topology": "chain_topology", "function": "chain_function"},
    "pipeline": {
        "port": "pipeline_port", "device": "pipeline_device", "tables": "pipeline_tables",
        "burst_packets": "pipeline_burst_packets",
    },
}  # fmt: skip
"""Key of a cell then -> names of its fields that were not those of their columns."""


def as_of_today(line: bytes) -> bytes:
    """Write a line of a journal as it is written today, so that begun campaigns go on.

    Raises
    ------
    ValueError
        It is not JSON.
    """
    if b'"settings":' in line:
        return line
    entry = from_json(line)
    cell = entry.get("cell") if isinstance(entry, dict) else None
    if not isinstance(cell, dict):
        return line
    tables = {key: cell.pop(key, None) or {} for key in OTHERWISE}
    if not all(isinstance(table, dict) for table in tables.values()):
        raise ValueError("its settings are not tables")
    cell["settings"] = [
        (OTHERWISE[key].get(name, name), _value(value))
        for key, table in tables.items()
        for name, value in table.items()
    ]
    return json.dumps(entry).encode()


def _value(value: Any) -> Any:  # noqa: ANN401 - of any JSON
    if isinstance(value, list):  # entries of a pipeline's tables
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
            raise ValueError("its tables are not pairs of name and entry")
        return json.dumps({str(name): entry for name, entry in value}) if value else ""
    return value
