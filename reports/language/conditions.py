"""Names and values of the factors of a row, as a report prints them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from linerate.measure.datapaths.registry import settings_of_columns
from linerate.reports.language.factors import NO, YES
from linerate.reports.language.names import datapath_name, printable
from linerate.reports.language.operations import operations_text
from linerate.reports.language.words import Words, counted, message
from linerate.settings import Label

ARRIVALS = {
    "constant": message("evenly spaced"), "poisson": message("Poisson arrivals"),
    "burst": message("in bursts"), "flood": message("flooded"),
}  # fmt: skip
MODES = {"serial": message("serial mode"), "split": message("split mode")}
GENERATORS = {"live_frames": message("live frames")}
BYTE_UNITS = ("B", "KiB", "MiB", "GiB")


def condition(row: pd.Series, names: Sequence[str], words: Words) -> str:
    """Say what these factors of a row are."""
    texts = (factor_text(name, row[name], words) for name in names)
    return ", ".join(text for text in texts if text)


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


def factor_text(name: str, value: object, words: Words) -> str:
    """Say what one factor is; nothing where it is not known."""
    if value == "" or (isinstance(value, float) and np.isnan(value)):
        return ""
    say = _TEXTS.get(name)
    if say:
        return say(value, words)
    own = settings_of_columns().get(name)
    return setting_text(own.about.label, value, words) if own else printable(str(value))


def hook_name(row: pd.Series, words: Words) -> str:
    """Name a place where a filter sits, with its flavour and hook in brackets."""
    name = factor_text("datapath", row["datapath"], words)
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


def accesses_text(count: float, words: Words) -> str:
    """Count memory accesses."""
    return words.plural("{n} access", "{n} accesses", count)


def _load(value: float, words: Words) -> str:
    return words("flooded") if np.isinf(value) else words("{n} Mpps", n=words.number(value))


def _link(value: float, words: Words) -> str:
    return words("no link") if np.isinf(value) else words("{n} Gbit/s", n=words.number(value))


def _counted(one: str, many: str, digits: int = 3) -> Callable[[float, Words], str]:
    return lambda value, words: words.plural(one, many, value, digits=digits)


def _number(text: str, digits: int = 3) -> Callable[[float, Words], str]:
    return lambda value, words: words(text, n=words.number(value, digits))


def setting_text(label: Label, value: object, words: Words) -> str:
    """Say what a datapath's setting is, as its declaration says."""
    known = {YES: True, NO: False}.get(value, value) if isinstance(value, str) else value
    if isinstance(known, (bool, int, float, str)) and known in label.words:
        return words(label.words[known])
    if isinstance(known, (bool, str)):
        return words(label.one, n=printable(str(value)))
    number = float(str(value))
    if label.many:
        return words.plural(label.one, label.many, number, digits=label.digits)
    return words(label.one, n=words.number(number, label.digits))


_TEXTS: dict[str, Callable[..., str]] = {
    "datapath": lambda value, words: datapath_name(value),
    "queues": lambda value, words: words.queues(int(value)),
    "frame_bytes": _number(message("{n} B")),
    "memory_accesses": accesses_text,
    "link_gbps": _link,
    "offered_mpps": _load,
    "mode": lambda value, words: words(MODES.get(value, printable(value))),
    "generator": lambda value, words: words(GENERATORS.get(value, printable(value))),
    "arrivals": lambda value, words: words(ARRIVALS.get(value, printable(value))),
    "burst_packets": _number(message("{n} packets per burst")),
    "lcores": _counted(*counted("{n} lcore", "{n} lcores")),
    "flows": _counted(*counted("{n} flow", "{n} flows"), digits=6),
    "sources": _counted(*counted("{n} source", "{n} sources")),
    "pings_per_second": _counted(*counted("{n} ping/s", "{n} pings/s")),
    "operations": lambda value, words: operations_text(value) or words("no operations"),
    "working_set_bytes": lambda value, words: bytes_text(value, words),
}
