"""What a rate is a rate of: the lab, its mode, where packets come from, and the link."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from linerate.reports.language import Words, message
from linerate.reports.language.names import printable

VETH = message("lab veth, no NIC")
LABS = {"veth": VETH, "dpdk": message("lab DPDK on one machine"), "nic": message("lab of a NIC")}
MODES = {
    "serial": message("serial mode: generator, device and sink take turns on each core"),
    "split": message("split mode: the generator has cores of its own, device and sink share the "
                     "others"),
}  # fmt: skip
"""Of the labs whose packets come through the kernel."""
CHAINED = message("generator, functions and sink share the cores of one machine")
PORTS = {
    "net_null": message("port net_null: packets are made and freed on each lcore, none comes from "
                        "a wire"),
    "ring": message("port ring: an lcore is generator and sink, packets come by rings in memory, "
                    "not from a wire"),
    "memif": message("port memif: an lcore is generator and sink, packets come by shared memory, "
                     "not from a wire"),
    "af_xdp": message("port af_xdp: packets come from sockets of a veth, not from a wire"),
    "pci": message("port pci: packets come from a network card"),
}  # fmt: skip
ALL_THREE = message("a rate is that of all three together")


def lab_sentences(runs: pd.DataFrame, words: Words, *, rates: bool) -> Iterator[str]:
    """Say of the runs behind a figure where they ran, one sentence for each lab and mode.

    Parameters
    ----------
    runs
        As ``runs_behind`` finds them.
    words
        The reader's language.
    rates
        Whether the figure shows rates.
    """
    names = [name for name in ("lab", "mode", "pipeline_port") if name in runs.columns]
    if runs.empty or "lab" not in names:
        yield words("Lab not recorded.")
        return
    shown = runs[[*names, "link_gbps"]].assign(chained=runs["datapath"] == "chain")
    for _, rows in shown.groupby([*names, "chained"], dropna=False, sort=True):
        clauses = list(_clauses(rows, words, rates=rates))
        text = "; ".join(clauses)
        yield text[:1].upper() + text[1:] + "."


def _clauses(rows: pd.DataFrame, words: Words, *, rates: bool) -> Iterator[str]:
    """Say what the rows of one lab, mode and port share."""
    first = rows.iloc[0]
    lab, mode, port = (_text(first, name) for name in ("lab", "mode", "pipeline_port"))
    yield words(LABS[lab]) if lab in LABS else words("lab {name}", name=printable(lab or "?"))
    if first["chained"]:
        yield words(CHAINED)
    elif port in PORTS:
        yield words(PORTS[port])
    elif lab == "veth" and mode in MODES:
        yield words(MODES[mode])
        if rates and mode == "serial":
            yield words(ALL_THREE)
    elif mode:
        yield words("{name} mode", name=printable(mode))
    yield _link(rows["link_gbps"].dropna(), words, imitated=lab != "nic" and port != "pci")


def _link(gbps: pd.Series, words: Words, *, imitated: bool) -> str:
    """Name the speeds of the links."""
    speeds = sorted(float(speed) for speed in gbps.unique())
    named = [words.number(speed) for speed in speeds if np.isfinite(speed)]
    if not named:
        return words("no link limit")
    text = words("{n} Gbit/s", n=", ".join(named))
    if len(named) < len(speeds):
        text = words("{speeds} or no limit", speeds=text)
    return words("link imitated, {speeds}", speeds=text) if imitated else words(
        "link {speeds}", speeds=text
    )  # fmt: skip


def _text(row: pd.Series, name: str) -> str:
    value = row.get(name)
    return "" if value is None or pd.isna(value) else str(value)
