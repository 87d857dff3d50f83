"""Rates beside others on a core lead back to those without."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from linerate.models.runs.selection import believable
from linerate.stretches import MOST_SHARED
from linerate.tables.rates import is_estimated, with_own_cores
from linerate.tables.shared_cores import (
    ERROR_MAX,
    TRIALS_MIN,
    Group,
    Slope,
    led_back_mpps,
    slope_of,
)
from linerate.tables.tidy import runs_from

from ..files.finished import BOX, CELL, entry

ALONE_MPPS, SLOPE = 2.0, 0.5
LOOKS = 100
FLOOD = dataclasses.replace(
    CELL, load=dataclasses.replace(CELL.load, arrivals="flood", offered_mpps=np.inf)
)
SHARES = (0.0, 0.8, 0.3, 0.6, 0.1, 0.9, 0.4, 0.7, 0.2, 1.0)


def trial(number, share, *, noise=1.0, looked=True, told=True):
    """Beside others for a share of it; told: of stretches left alone, if these were a tenth."""
    packets = round(1e7 * ALONE_MPPS * np.exp(-SLOPE * share) * noise)
    looks = {"sharing_looks": LOOKS, "sharing_shared_looks": LOOKS * share, MOST_SHARED: share}
    alone, alone_ns = round(40 * (1.0 - share)), 1e3 / ALONE_MPPS
    beside_ns = [alone_ns * (1.2 + 0.01 * place) for place in range(40 - alone)]
    return entry(
        f"c0000-r{number}", number, cell=FLOOD, duration_s=10.0, probes=looks if looked else {},
        intended_packets=packets, sent_packets=packets, forwarded_packets=packets, dropped={},
        stretches_ns=(([alone_ns] * alone + beside_ns),) if told else (),
    )  # fmt: skip


def table(entries):
    return runs_from(entries, BOX, "planted", "abc123")


def test_undisturbed_stretches_tell_the_rate_and_the_slope_where_there_are_none():
    rows = table([trial(number, share) for number, share in enumerate(SHARES)])
    assert rows["unshared_mpps"].to_numpy() == pytest.approx(ALONE_MPPS, rel=1e-3)
    beside = ALONE_MPPS * np.exp(-SLOPE * np.array(SHARES))
    assert rows["forwarded_mpps"].to_numpy() == pytest.approx(beside, rel=1e-3)


def test_a_trial_that_something_else_disturbed_moves_the_slope_little():
    noise = np.random.default_rng(1).lognormal(0.0, 0.01, 40)
    noise[[7, 21]] = 0.4
    entries = [trial(number, SHARES[number % 10], noise=each) for number, each in enumerate(noise)]
    untold = [trial(40 + number, share, told=False) for number, share in enumerate(SHARES)]
    rows = table([*entries, *untold])
    assert rows["unshared_mpps"][40:].median() == pytest.approx(ALONE_MPPS, rel=0.02)


def test_the_slope_of_the_closest_trials_counts():
    rows = pd.DataFrame({
        "box": "b", "forwarded_mpps": 1.0, "shared_core_ratio": 0.5, "offered_mpps": np.inf,
        "program": ["p", "p", "q"], "memory_accesses": [100, 200, 100],
    })  # fmt: skip
    values: dict[Group, float] = {("p", 100): 0.8, ("p",): 0.6, (): 0.4}
    slopes = {at: Slope(value=value, error=0.0, trials=9) for at, value in values.items()}
    assert led_back_mpps(rows, {"b": slopes}) == pytest.approx(np.exp([0.4, 0.3, 0.2]))


def test_where_no_stretch_is_timed_trials_of_one_load_lead_each_other_back():
    loads = {1: (0.1, 0.5, 0.9), 2: (0.0, 0.8), 3: (0.4, 0.2, 0.6)}
    rows = table([
        trial(number, share, noise=1.0 + 0.1 * number, told=False)
        for number, shares in loads.items() for share in shares
    ])  # fmt: skip
    alone = ALONE_MPPS * np.array([1.1, 1.2, 1.3])
    assert rows["unshared_mpps"].to_numpy() == pytest.approx(alone, rel=0.02)
    assert (rows["forwarded_mpps"] < 0.9 * rows["unshared_mpps"]).all()


def test_one_trial_of_each_load_leads_none_back():
    rows = table([trial(number, share, told=False) for number, share in enumerate(SHARES)])
    beside = rows["shared_core_ratio"] > 0
    assert rows["unshared_mpps"][beside].isna().all()


def test_a_run_takes_the_median_of_its_trials_that_tell():
    one = [dataclasses.replace(trial(0, share), run_id="c0000-r0") for share in (0.2, 0.5, 1.0)]
    (row,) = table(one).to_dict("records")
    assert row["trials"] == 3
    assert row["unshared_mpps"] == pytest.approx(ALONE_MPPS)


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
                         "offered_mpps": [1.2], "program": "p", "memory_accesses": 0})  # fmt: skip
    assert led_back_mpps(rows, {"b": {(): Slope(value=1.0, error=0.0, trials=9)}}) == pytest.approx(
        [1.2]
    )


def test_without_looks_or_enough_that_tell_it_is_not_known():
    few = [trial(number, 0.5, told=number < TRIALS_MIN - 1) for number in range(10)]
    assert table(few)["unshared_mpps"].isna().sum() == 10 - (TRIALS_MIN - 1)
    unlooked = [trial(number, share, looked=False) for number, share in enumerate(SHARES)]
    assert table(unlooked)["unshared_mpps"].isna().all()
    slope = Slope(value=0.5, error=0.0, trials=9)
    assert led_back_mpps(table(unlooked), {BOX.name: {(): slope}}) == (
        pytest.approx([np.nan] * len(SHARES), nan_ok=True)
    )


def test_shares_that_hardly_differ_tell_no_slope():
    shares = np.tile([0.01, 0.02], 10)
    noise = np.random.default_rng(2).normal(0.0, 0.05, len(shares))
    assert slope_of(shares, noise) is None
    assert slope_of(np.zeros(20), noise) is None
    wide = slope_of(50.0 * shares, noise - 25.0 * shares)
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
    rows = table([trial(0, 0.5, told=False)])
    old = rows.drop(columns="unshared_mpps")
    assert with_own_cores(old) is old
    assert with_own_cores(rows) is rows
