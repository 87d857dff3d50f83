"""One function on several datapaths: which is fastest, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import comb

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.models.runs.cells import Array
from linerate.tables.rates import with_own_cores

COVERAGE = 0.9
SERIAL = "serial"
MAKES_PACKETS = ("swx",)
"""Datapaths in whose time no generator and no sink is."""
LATENCY = {"latency_p50_us": "p50_us", "latency_p99_us": "p99_us", "cpu_busy_ratio": "busy_ratio"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One datapath among those that were compared."""

    datapath: str
    """With the hook of a filter or a ruleset, where it has one."""
    loads: int
    """Program loads that were measured, each once."""
    packet_ns: float
    """Time of a packet on one core, the median of the loads."""
    lower_ns: float
    upper_ns: float
    """90 % interval of that median; NaN with fewer than 5 loads."""
    slower: float
    """Its time over that of the fastest, the median of the same repetitions."""
    lower_slower: float
    upper_slower: float
    """90 % interval of that median ratio."""
    ranked: bool = True
    """Whether its time has what the others' have: no pipeline's has a generator and a sink."""
    p50_us: float | None = None
    p99_us: float | None = None
    """Latency at a low rate, median of the loads; None where no packet comes back."""
    busy_ratio: float | None = None
    """Share of the device's core that was busy meanwhile."""

    @property
    def mpps(self) -> float:
        """Rate of one core."""
        return 1e3 / self.packet_ns

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"mpps": self.mpps, **asdict(self)}


def stand(runs: pd.DataFrame) -> tuple[Standing, ...]:
    """Rank the datapaths of a campaign that put one function on each, the fastest first.

    What makes its packets itself stands behind the others, and is none of which another is slower.

    Parameters
    ----------
    runs
        Table of runs: one cell of each datapath in serial mode, and maybe one in split mode.

    Raises
    ------
    BadInputError
        No run in serial mode can be used.

    References
    ----------
    The interval of a median by order statistics, which asks nothing of the distribution: Conover,
    Practical Nonparametric Statistics (3rd ed., 1999), sec. 3.2. Ratios are paired by repetition.
    """
    used = with_own_cores(runs[(runs["verdict"] != "invalid") & (runs["forwarded_mpps"] > 0)])
    used = used.assign(on=[_name(row) for row in used.to_dict("records")])
    serial = used[used["mode"] == SERIAL]
    if serial.empty:
        raise bad_input("runs", len(runs), why="none of serial mode came to a rate",
                        allowed="runs that are valid or suspect",
                        do="see column verdict_reason")  # fmt: skip
    times = 1e3 / serial.pivot_table("forwarded_mpps", "repetition", "on", aggfunc="median")
    medians = times.median()
    order = sorted(medians.index, key=lambda name: (name in MAKES_PACKETS, medians[name]))
    is_ranked = {name: name not in MAKES_PACKETS or order[0] in MAKES_PACKETS for name in order}
    slow = used[used["mode"] != SERIAL].groupby("on")
    rest = {str(name): own for name, own in slow}
    return tuple(
        Standing(
            datapath=str(name), loads=int(times[name].notna().sum()),
            **_interval(times[name], ("lower_ns", "packet_ns", "upper_ns")),
            **_interval(times[name] / times[order[0]], ("lower_slower", "slower", "upper_slower")),
            **dict(_latency(rest.get(str(name)))), ranked=is_ranked[name],
        )
        for name in order
    )  # fmt: skip


def _name(row: Mapping[Hashable, object]) -> str:
    for hook in map(row.get, ("filter_hook", "ruleset_hook", "object_hook")):
        if isinstance(hook, str) and hook:
            return f"{row['datapath']}, {hook}"
    return str(row["datapath"])


def _interval(values: pd.Series, names: tuple[str, str, str]) -> dict[str, float]:
    return dict(zip(names, median_interval(values), strict=True))


def median_interval(values: pd.Series) -> tuple[float, float, float]:
    """Median of values within the narrowest pair of them that holds it as often as it shall.

    Returns
    -------
    Lower end, median, upper end; the ends are nan with fewer than 5 values, all with none.
    """
    ordered: Array = np.sort(values.dropna().to_numpy(dtype=np.float64))
    left_out = _left_out(ordered.size)
    ends = (np.nan, np.nan) if left_out is None else (ordered[left_out], ordered[-1 - left_out])
    middle = float(np.median(ordered)) if ordered.size else np.nan
    return float(ends[0]), middle, float(ends[1])


def _left_out(count: int) -> int | None:
    """How many of so many values may be left out at either end of an interval of the median.

    >>> [_left_out(count) for count in (4, 5, 7, 8, 11)]
    [None, 0, 0, 1, 2]
    """
    outside, found = 0.0, None
    for ends in range((count + 1) // 2):
        outside += 2.0 * comb(count, ends) / 2.0**count
        if outside <= 1.0 - COVERAGE:
            found = ends
    return found


def _latency(own: pd.DataFrame | None) -> Iterator[tuple[str, float]]:
    for column, name in LATENCY.items():
        if own is not None and column in own and own[column].notna().any():
            yield name, float(own[column].median())
