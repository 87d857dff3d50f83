"""Tables of costs with intervals, and of mixes beside the sums of their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from linerate.models.fitting import SEED
from linerate.models.operations.additivity import Interaction, MixCost, Operations, additivity_of
from linerate.models.operations.costs import Estimate, OperationCost, operation_cost
from linerate.reports.figures.operations.added_times import NO_COSTS
from linerate.reports.figures.operations.packet_times import PLACE, packet_times, places
from linerate.reports.language import message
from linerate.reports.language.operations import mix_name
from linerate.reports.section import Section
from linerate.reports.tables import LeftOut

NO_MIXES = LeftOut(why=message("no mix of operations has all of its parts measured alone"))
UNKNOWN = Estimate(value=np.nan, lower=np.nan, upper=np.nan)
Loads = dict[Operations, NDArray[np.float64]]


def cost_table(section: Section) -> pd.DataFrame | LeftOut:
    """Cost of each kind at each place: slope over the counts with its 90 % interval.

    Returns
    -------
    ``PLACE, working_set_bytes, kind``, ``ns`` and ``setup_ns`` (nan where there is none) each with
    its ends, ``fewest, most, counts, spread_ratio, monotone, runs``.
    """
    rows = [
        _row(place, kind=kind, **_cost_columns(cost), runs=runs)
        for place, times in places(packet_times(section))
        for kind, cost, runs in _costs(times)
    ]
    return pd.DataFrame(rows).assign(series="measured") if rows else NO_COSTS


def mixes_table(section: Section) -> pd.DataFrame | LeftOut:
    """Measured cost of each mix beside the sum of its parts', and the interaction of its kinds.

    Returns
    -------
    ``PLACE, working_set_bytes, mix, measured_ns, summed_ns, error_percent`` each with its ends,
    ``modelled_error_percent, additive, interaction_ns`` with its ends (nan where every mix of
    these kinds is additive), ``interaction_mixes, runs``.
    """
    rows = []
    for place, times in places(packet_times(section)):
        found = additivity_of(times, np.random.default_rng(SEED))
        of_kinds = {interaction.kinds: interaction for interaction in found.interactions}
        rows += [
            _row(
                place, **_mix_columns(mix, of_kinds.get(mix.kinds)), runs=len(times[mix.operations])
            )
            for mix in found.mixes
        ]
    return pd.DataFrame(rows).assign(series="measured") if rows else NO_MIXES


def _row(place: pd.Series, **columns: object) -> dict[str, object]:
    return {name: place[name] for name in (*PLACE, "working_set_bytes")} | columns


def _costs(times: Mapping[Operations, NDArray[np.float64]]) -> Iterator[
    tuple[str, OperationCost, int]
]:  # fmt: skip
    """Cost of each kind that is somewhere alone, and the runs that it is from."""
    if () not in times:
        return
    alone: dict[str, dict[int, NDArray[np.float64]]] = {}
    for operations, packet_ns in times.items():
        if len(operations) == 1:
            ((kind, count),) = operations
            alone.setdefault(kind, {})[count] = packet_ns
    for kind, counted in alone.items():
        cost = operation_cost(times[()], counted, np.random.default_rng(SEED))
        yield kind, cost, sum(len(packet_ns) for packet_ns in counted.values())


def _cost_columns(cost: OperationCost) -> dict[str, object]:
    return (
        _ends("ns", cost.ns)
        | _ends("setup_ns", cost.setup_ns or UNKNOWN)
        | {
            "fewest": cost.counts[0],
            "most": cost.counts[-1],
            "counts": len(cost.counts),
            "spread_ratio": cost.spread_ratio,
            "monotone": cost.monotone,
        }
    )


def _mix_columns(mix: MixCost, interaction: Interaction | None) -> dict[str, object]:
    error = mix.error_ratio
    percent = Estimate(
        value=100.0 * error.value, lower=100.0 * error.lower, upper=100.0 * error.upper
    )
    return {
        "mix": mix_name(mix.operations),
        **_ends("measured_ns", mix.measured_ns),
        **_ends("summed_ns", mix.summed_ns),
        **_ends("error_percent", percent),
        "modelled_error_percent": 100.0 * mix.modelled_error_ratio,
        "additive": mix.additive,
        **_ends("interaction_ns", interaction.ns if interaction else UNKNOWN),
        "interaction_mixes": interaction.mixes if interaction else 0,
    }


def _ends(name: str, estimate: Estimate) -> dict[str, object]:
    return {name: estimate.value, f"lower_{name}": estimate.lower, f"upper_{name}": estimate.upper}
