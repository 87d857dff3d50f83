"""The factors that tell the cells of one figure apart, and how a reader is told of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from linerate.reports.operation_names import operations_text
from linerate.reports.sections import DATAPATH_NAMES, printable
from linerate.reports.words import Words
from linerate.tables.columns import KNOWN

LOAD = (
    "mode", "queues", "frame_bytes", "link_gbps", "generator", "arrivals", "offered_mpps",
    "burst_packets", "flows", "sources", "protocol", "tcp_flags", "payload", "pings_per_second",
)  # fmt: skip
"""Factors that every study has; cells that differ in any are never pooled."""
HOOK = ("datapath", "filter_hook", "filter_flavour")
SOCKET = ("socket_hook", "sockets", "zero_copy", "need_wakeup", "busy_poll")
CHAIN = ("chain_function", "chain_topology", "nsh_aware", "metadata_type")
PIPELINE = (
    "pipeline_port", "pipeline_device", "pipeline_burst_packets", "hugepages",
    "memory_channels", "oversubscribed", "table_entries", "registers",
)  # fmt: skip
PORTS = {"net_null": "packets from nowhere", "ring": "by rings"}
CHAIN_FUNCTIONS = {"raw_socket": "raw socket", "af_xdp": "AF_XDP", "tc": "tc"}
YES, NO = "yes", "no"
BYTE_UNITS = ("B", "KiB", "MiB", "GiB")


def factored(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Give rows every one of these factors in one form, so that they can be grouped by it.

    Text and flags become text, empty where not known; numbers become floats, nan there.
    """
    return rows.assign(**{name: _plain(rows, name) for name in names})


def _plain(rows: pd.DataFrame, name: str) -> pd.Series:
    number = KNOWN[name].kind in ("count", "number")
    if name not in rows.columns:
        return pd.Series(np.nan if number else "", index=rows.index)
    if number:
        return rows[name].astype("float64")
    if KNOWN[name].kind == "flag":
        flags = rows[name].astype("boolean")
        said = np.where(flags.fillna(False).astype(bool), YES, NO)
        return pd.Series(said, index=rows.index).where(flags.notna(), "")
    return rows[name].astype("object").where(rows[name].notna(), "").astype(str)


def varying(table: pd.DataFrame, names: Sequence[str], within: Sequence[str] = ()) -> list[str]:
    """Factors that a reader must be told of: what the earlier ones do not decide already.

    >>> table = pd.DataFrame({"mode": ["serial"] * 2, "frame_bytes": [64, 128], "queues": [1, 2]})
    >>> varying(table, ["mode", "frame_bytes", "queues"])
    ['frame_bytes']
    """
    told: list[str] = []
    for name in names:
        known = [*within, *told]
        if known:
            counts = table.groupby(known, dropna=False)[name].nunique(dropna=False)
        else:
            counts = pd.Series([table[name].nunique(dropna=False)])
        if int(counts.max()) > 1:
            told.append(name)
    return told


def condition(row: pd.Series, names: Sequence[str], words: Words) -> str:
    """Say what these factors of a row are."""
    said = (_said(name, row[name], words) for name in names)
    return ", ".join(text for text in said if text)


def conditions(
    table: pd.DataFrame, names: Sequence[str], words: Words
) -> list[tuple[str, pd.DataFrame]]:
    """Rows of each condition with its name, in order of the factors."""
    if not names:
        return [("", table)]
    return [
        (condition(rows.iloc[0], names, words), rows)
        for _, rows in table.groupby(list(names), dropna=False, sort=True)
    ]


def _said(name: str, value: object, words: Words) -> str:
    if value == "" or (isinstance(value, float) and np.isnan(value)):
        return ""
    say = _SAYINGS.get(name)
    return say(value, words) if say else printable(str(value))


def _said_load(value: float, words: Words) -> str:
    return words("flooded") if np.isinf(value) else words("{n} Mpps", n=words.number(value))


def _said_link(value: float, words: Words) -> str:
    return words("no link") if np.isinf(value) else words("{n} Gbit/s", n=words.number(value))


def _said_arrivals(value: str, words: Words) -> str:
    return {
        "constant": words("evenly spaced"), "poisson": words("Poisson arrivals"),
        "burst": words("in bursts"), "flood": words("flooded"),
    }.get(value, printable(value))  # fmt: skip


_SAYINGS: dict[str, Callable[..., str]] = {
    "datapath": lambda value, words: DATAPATH_NAMES.get(value, printable(value)),
    "queues": lambda value, words: words.queues(int(value)),
    "frame_bytes": lambda value, words: words("{n} B", n=words.number(value)),
    "memory_accesses": lambda value, words: words("{n} accesses", n=words.number(value)),
    "link_gbps": _said_link,
    "offered_mpps": _said_load,
    "arrivals": _said_arrivals,
    "burst_packets": lambda value, words: words("trains of {n}", n=words.number(value)),
    "lcores": lambda value, words: (
        words("1 lcore") if value == 1 else words("{n} lcores", n=words.number(value))
    ),
    "flows": lambda value, words: (
        words("1 flow") if value == 1 else words("{n} flows", n=words.number(value, 6))
    ),
    "sources": lambda value, words: words("{n} sources", n=words.number(value)),
    "pings_per_second": lambda value, words: words("{n} pings/s", n=words.number(value)),
    "zero_copy": lambda value, words: words("zero copy") if value == YES else words("copy"),
    "need_wakeup": lambda value, words: (
        words("need_wakeup") if value == YES else words("no need_wakeup")
    ),
    "busy_poll": lambda value, words: words("busy poll") if value == YES else words("no busy poll"),
    "socket_hook": lambda value, words: words("{name} hook", name=printable(value)),
    "socket_batch_packets": lambda value, words: words("batches of {n}", n=words.number(value)),
    "sockets": lambda value, words: (
        words("one socket") if value == "queue_0" else words("a socket for each queue")
    ),
    "chain_function": lambda value, words: CHAIN_FUNCTIONS.get(value, printable(value)),
    "chain_topology": lambda value, words: (
        words("through a hub") if value == "hub" else words("direct")
    ),
    "nsh_aware": lambda value, words: words("NSH-aware") if value == YES else words("NSH-unaware"),
    "metadata_type": lambda value, words: words("MD type {n}", n=words.number(value)),
    "pipeline_port": lambda value, words: words(PORTS.get(value, value)),
    "pipeline_burst_packets": lambda value, words: words("bursts of {n}", n=words.number(value)),
    "hugepages": lambda value, words: words("hugepages") if value == YES else "",
    "memory_channels": lambda value, words: (
        words("{n} memory channels", n=words.number(value)) if value else ""
    ),
    "table_entries": lambda value, words: words("tables of {n}", n=words.number(value, 6)),
    "registers": lambda value, words: words("{n} registers", n=words.number(value, 8)),
    "oversubscribed": lambda value, words: words("lcores share cores") if value == YES else "",
    "operations": lambda value, words: operations_text(value) or words("no operations"),
    "working_set_bytes": lambda value, words: bytes_text(value, words),
}


def hook_name(row: pd.Series, words: Words) -> str:
    """Name a place where a filter sits, with its flavour and hook in brackets."""
    name = _said("datapath", row["datapath"], words)
    details = ", ".join(
        printable(row[part]) for part in ("filter_flavour", "filter_hook") if row[part]
    )
    return f"{name} ({details})" if details else name


def bytes_text(size_bytes: float, words: Words) -> str:
    """Print a size in the largest unit that it fills.

    >>> bytes_text(65536, Words())
    '64 KiB'
    """
    step = 0
    while size_bytes >= 1024 and step < len(BYTE_UNITS) - 1:
        size_bytes /= 1024
        step += 1
    return f"{words.number(size_bytes)} {BYTE_UNITS[step]}"
