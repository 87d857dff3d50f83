"""Which rows of a table belong to which study: figures never pool what is not of their kind."""

from __future__ import annotations

from typing import Literal, get_args

import pandas as pd

Study = Literal[
    "capacity", "own", "sockets", "operations", "pipelines", "filters", "chains", "searches"
]
"""What a figure is about. Rows of AF_XDP are of two: of capacity and of socket settings; those of
DPDK's pipelines too: of pipelines and of operations."""
STUDIES: tuple[Study, ...] = get_args(Study)
"""In order of the report."""

FILTER_PROGRAMS = (
    "drop_all",
    "drop_tcp_subnet",
    "drop_udp_subnet",
    "drop_tcp_subnet_flags",
    "drop_tcp_subnet_payload",
)
"""Programs of Sampaio (2017), in the order of his tests."""
FILTER_DATAPATHS = ("tc", "netfilter", "nftables", "iptables")
"""Datapaths whose programs of ours do nothing but filter; XDP runs others beside them."""


CURVE = "curve"
"""Source of the runs that a search led to."""


def rows_of(runs: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Rows of one study, in their order; the table itself where they are all."""
    return _where(runs, _belongs(runs, study))


def without_curves(runs: pd.DataFrame) -> pd.DataFrame:
    """Leave out the loads of curves: chosen by what is carried, they say nothing of capacity."""
    return _where(runs, ~_of_curve(runs))


def _where(runs: pd.DataFrame, kept: pd.Series) -> pd.DataFrame:
    """Keep some rows; many runs take long to copy, and a campaign is mostly of one study."""
    return runs if bool(kept.all()) else runs[kept]


def _belongs(runs: pd.DataFrame, study: Study) -> pd.Series:
    datapath, program = runs["datapath"], runs["program"]
    own = _counted_by(runs, "ended_")
    filters = (program.isin(FILTER_PROGRAMS) | datapath.isin(FILTER_DATAPATHS)) & ~own
    chains, pipelines = datapath == "chain", datapath == "swx"
    operations = (program == "operations") | pipelines
    of_curve = _of_curve(runs)
    masks: dict[Study, pd.Series] = {
        "capacity": ~(filters | chains | operations | of_curve | own),
        "own": own & ~of_curve,
        "sockets": (datapath == "af_xdp") & _has_text(runs, "socket_hook") & ~of_curve,
        "operations": operations & ~of_curve,
        "pipelines": pipelines & ~of_curve,
        "filters": filters & ~of_curve,
        "chains": chains & ~of_curve,
        "searches": of_curve,
    }
    return masks[study].fillna(False).astype(bool)


def _counted_by(runs: pd.DataFrame, prefix: str) -> pd.Series:
    """Whether each row has counts in columns of this prefix."""
    names = [name for name in runs.columns if str(name).startswith(prefix)]
    return runs[names].notna().any(axis=1)


def _of_curve(runs: pd.DataFrame) -> pd.Series:
    if "source" not in runs.columns:
        return pd.Series(data=False, index=runs.index)
    return (runs["source"] == CURVE).fillna(False).astype(bool)


def _has_text(runs: pd.DataFrame, name: str) -> pd.Series:
    """Whether each row has a text in a column."""
    if name not in runs.columns:
        return pd.Series(data=False, index=runs.index)
    return runs[name].notna() & (runs[name].astype("object") != "")
