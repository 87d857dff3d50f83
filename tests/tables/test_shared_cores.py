"""Rates beside others on a core lead back to those without."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from linerate.models.runs.selection import believable
from linerate.tables.rates import is_estimated, with_own_cores
from linerate.tables.shared_cores import ERROR_MAX, PAIRS_MIN, Slope, slope_of, unshared_mpps
from linerate.tables.tidy import runs_from

from ..files.finished import BOX, CELL, entry

ALONE_MPPS, SLOPE = 2.0, 0.5
LOOKS = 100
FLOOD = dataclasses.replace(
    CELL, load=dataclasses.replace(CELL.load, arrivals="flood", offered_mpps=np.inf)
)
SHARES = (0.0, 0.8, 0.3, 0.6, 0.1, 0.9, 0.4, 0.7, 0.2, 1.0)


def trial(number, share, *, cell=FLOOD, noise=1.0, looked=True):
    packets = round(1e7 * ALONE_MPPS * np.exp(-SLOPE * share) * noise)
    looks = {"sharing_looks": LOOKS, "sharing_shared_looks": LOOKS * share} if looked else {}
    return entry(
        f"c0000-r{number}", number, cell=cell, duration_s=10.0, probes=looks,
        intended_packets=packets, sent_packets=packets, forwarded_packets=packets, dropped={},
    )  # fmt: skip


def table(entries):
    return runs_from(entries, BOX, "planted", "abc123")


def test_a_rate_beside_others_leads_back_to_the_one_without():
    rows = table([trial(number, share) for number, share in enumerate(SHARES)])
    assert rows["unshared_mpps"].to_numpy() == pytest.approx(ALONE_MPPS, rel=1e-3)
    beside = ALONE_MPPS * np.exp(-SLOPE * np.array(SHARES))
    assert rows["forwarded_mpps"].to_numpy() == pytest.approx(beside, rel=1e-3)


def test_a_trial_that_something_else_disturbed_moves_it_little():
    noise = np.random.default_rng(1).lognormal(0.0, 0.01, 40)
    noise[[7, 21]] = 0.4
    entries = [trial(number, SHARES[number % 10], noise=each) for number, each in enumerate(noise)]
    rows = table(entries)
    undisturbed = rows["unshared_mpps"].drop([7, 21])
    assert undisturbed.median() == pytest.approx(ALONE_MPPS, rel=0.02)


def test_cells_are_told_apart():
    slow = dataclasses.replace(FLOOD, memory_accesses=6400)
    entries = [
        trial(number, share, cell=cell, noise=noise)
        for number, share in enumerate(SHARES) for cell, noise in ((FLOOD, 1.0), (slow, 0.1))
    ]  # fmt: skip
    for number, each in enumerate(entries):
        entries[number] = dataclasses.replace(each, run_id=f"c{number % 2:04d}-r{number}")
    alone = table(entries).groupby("memory_accesses")["unshared_mpps"].median()
    assert alone.to_numpy() == pytest.approx([ALONE_MPPS, 0.1 * ALONE_MPPS], rel=1e-3)


def test_what_carried_all_that_was_offered_tells_nothing_and_stays():
    offered = dataclasses.replace(
        CELL, load=dataclasses.replace(CELL.load, offered_mpps=ALONE_MPPS * np.exp(-SLOPE * 0.5))
    )
    entries = [
        entry(f"c0001-r{number}", number, cell=offered, duration_s=10.0, dropped={},
              probes={"sharing_looks": LOOKS, "sharing_shared_looks": LOOKS * share},
              **dict.fromkeys(("intended_packets", "sent_packets", "forwarded_packets"),
                              round(1e7 * offered.load.offered_mpps)))
        for number, share in enumerate(SHARES)
    ]  # fmt: skip
    assert table(entries)["unshared_mpps"].isna().sum() == 0
    assert not is_estimated(table(entries)).any()
    both = table([*entries, *(trial(number, share) for number, share in enumerate(SHARES))])
    full = both[both["run_id"].str.startswith("c0001")]
    assert (full["unshared_mpps"] == full["forwarded_mpps"]).all()


def test_no_more_than_was_offered():
    rows = pd.DataFrame({"box": ["b"], "forwarded_mpps": [1.0], "shared_core_ratio": [1.0],
                         "offered_mpps": [1.2]})  # fmt: skip
    slopes = {"b": Slope(value=1.0, error=0.0, pairs=9)}
    assert unshared_mpps(rows, slopes) == pytest.approx([1.2])


def test_without_looks_or_enough_of_them_it_is_not_known():
    few = [trial(number, share) for number, share in enumerate(SHARES[:PAIRS_MIN])]
    assert table(few)["unshared_mpps"].isna().all()
    unlooked = [trial(number, share, looked=False) for number, share in enumerate(SHARES)]
    assert table(unlooked)["unshared_mpps"].isna().all()
    assert unshared_mpps(table(unlooked), {BOX.name: Slope(value=0.5, error=0.0, pairs=9)}) == (
        pytest.approx([np.nan] * len(SHARES), nan_ok=True)
    )


def test_shares_that_hardly_differ_tell_no_slope():
    steps = np.tile([0.01, -0.01], 10)
    noise = np.random.default_rng(2).normal(0.0, 0.05, len(steps))
    assert slope_of(steps, noise) is None
    assert slope_of(np.zeros(20), noise) is None
    wide = slope_of(50.0 * steps, noise - 25.0 * steps)
    assert wide is not None
    assert wide.value == pytest.approx(0.5, abs=4.0 * wide.error)
    assert wide.error < ERROR_MAX


def test_models_take_it_and_say_so():
    rows = table([trial(number, share) for number, share in enumerate(SHARES)])
    kept, notes = believable(rows)
    assert kept["forwarded_mpps"].to_numpy() == pytest.approx(ALONE_MPPS, rel=1e-3)
    assert "9 rates are those with the device's cores to itself" in notes[-1]
    assert "56 % of looks" in notes[-1]


def test_a_table_of_before_is_as_it_was():
    rows = table([trial(0, 0.5)])
    old = rows.drop(columns="unshared_mpps")
    assert with_own_cores(old) is old
    assert with_own_cores(rows) is rows
