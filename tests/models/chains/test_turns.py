"""Functions with work of their own: processes take turns, and the source with a hub."""

import numpy as np
import pandas as pd
import pytest

from linerate.models.chains.times import fit_chain_times
from linerate.models.chains.turns import behind_sockets_ns, by_hub_ns
from linerate.models.kinds.chain_times import KIND, WORKED
from linerate.models.latency.round_trips import fit_round_trips
from linerate.models.operations import mix_runs
from linerate.models.validation.folds import HoldOut
from linerate.models.validation.latency import LatencyValidation

from .test_times import planted_ns, table

SOCKETS = ("raw_socket", "af_xdp")
IDLE_NS, WORK_NS = 12_000.0, 4000.0


def turns_ns(costs_ns):
    """Where each thread gets as much of a core as the one that gets most, by its own formula."""
    slowest_ns = np.maximum.accumulate(costs_ns)
    return float(slowest_ns[-1] * np.sum(costs_ns / slowest_ns))


@pytest.mark.parametrize("works", [(0, 0, 0), (WORK_NS, 0, 0), (0, 0, WORK_NS), (WORK_NS,) * 3])
def test_the_source_has_as_many_turns_as_a_hub(works):
    assert by_hub_ns(IDLE_NS, works) == pytest.approx(IDLE_NS + 2.0 * sum(works))


@pytest.mark.parametrize("works", [(1000.0,), (WORK_NS, 0), (0, WORK_NS), (1, 7000, 30, 2000)])
def test_processes_and_the_source_take_turns(works):
    each_ns = IDLE_NS / (len(works) + 1)
    expected = turns_ns(each_ns + np.array([0.0, *works]))
    assert behind_sockets_ns(IDLE_NS, works) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_functions_alike_take_a_turn_of_the_source_more(length):
    found = behind_sockets_ns(IDLE_NS, [WORK_NS] * length)
    assert found == pytest.approx(IDLE_NS + (length + 1) * WORK_NS)


def test_what_comes_last_costs_most():
    first, last = (behind_sockets_ns(IDLE_NS, works) for works in ((9, 0), (0, 9)))
    assert IDLE_NS + 9 < first < last


def overload_ns(function, topology, idle_ns, works_ns):
    if topology == "hub":
        return by_hub_ns(idle_ns, works_ns)
    return idle_ns + sum(works_ns) if function == "tc" else behind_sockets_ns(idle_ns, works_ns)


def worked(function, own_ns, topology="direct"):
    """Runs of chains without work, and of some whose functions all take so long, as turns say."""
    idle = table(lengths=(1, 2, 4)).assign(chain_function=function, chain_topology=topology,
                                           chain_work_ns=0)  # fmt: skip
    rows = [
        row | {"chain_work_ns": own_ns, "forwarded_mpps": 1e3 / overload_ns(
            function, topology, planted_ns(int(row["chain_length"]), row["frame_bytes"]),
            [own_ns] * int(row["chain_length"]))}
        for row in idle.to_dict("records") if row["repetition"] == 0
    ]  # fmt: skip
    return pd.concat([idle, pd.DataFrame(rows)], ignore_index=True)


@pytest.mark.parametrize(
    ("function", "topology"),
    [*((name, "direct") for name in ("tc", *SOCKETS)), ("tc", "hub"), ("raw_socket", "hub")],
)
def test_runs_with_work_are_in_no_line_and_are_answered(function, topology):
    runs = worked(function, 4000, topology)
    times = fit_chain_times(runs)
    assert times is not None
    assert times.times[0].packet_ns(3, 512) == pytest.approx(planted_ns(3, 512), rel=1e-6)
    own = runs[runs["chain_work_ns"] > 0]
    assert times.answer(own)["chain_mpps"] == pytest.approx(own["forwarded_mpps"], rel=1e-6)


def test_runs_with_work_are_validated_by_those_without():
    how = HoldOut(by="group", folds=5, rng=np.random.default_rng(1))
    assert KIND.validate is not None
    found = KIND.validate(worked("raw_socket", 4000), how)
    assert isinstance(found, LatencyValidation)
    own = found.frame[found.frame["quantity"] == WORKED]
    assert set(own["held_out"]) == {"chain_work_ns"}
    assert len(own) == 6
    assert own["predicted_us"].to_numpy() == pytest.approx(own["measured_us"], rel=1e-6)


def test_other_models_of_chains_leave_them_out():
    runs = worked("tc", 4000).assign(
        mode="split", memory_accesses=0, campaign="chains", source="planted", box="b",
        forwarded_from="sink", cpu_busy_ratio=0.9, unstable=False,
    )  # fmt: skip
    mixes = mix_runs(runs)
    assert len(mixes) == int((runs["chain_work_ns"] == 0).sum())
    assert any("work of their own" in str(note) for note in mixes.notes)
    pinged = runs.assign(rtt_mean_us=90.0 + 30.0 * runs["chain_length"]
                         + 100.0 * (runs["chain_work_ns"] > 0))  # fmt: skip
    found = fit_round_trips(pinged)
    assert found is not None
    assert float(found.lines[0].mean.rtt_us(4)) == pytest.approx(210.0)
