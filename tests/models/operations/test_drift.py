"""When new runs of operations no longer fit, and what a card and a box file say of costs."""

import json

import numpy as np
import pytest

import linerate as lr
from linerate.box import read_box
from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.validation.drift import drift_together, held_works

from ..planted import lab_table
from .planted import singles, table


@pytest.fixture(scope="module")
def mixes():
    return fit_mixes(mix_runs(table(singles())))


def drift(mixes, packets, slower=1.0, seed=5):
    """Hold new loads of packets, all slower by a factor, against fitted costs."""
    runs = table([(steps, slower * ns) for steps, ns in packets], seed=seed)
    return drift_together([held_works(mixes, mix_runs(runs))])


def test_new_runs_of_operations_raise_no_alarm_and_slower_ones_do(mixes):
    same, slow = drift(mixes, singles()), drift(mixes, singles(), slower=1.3)
    assert (same.alarm, slow.alarm) == (False, True)
    assert same.median_ratio == pytest.approx(1.0, abs=0.02)
    assert slow.median_ratio == pytest.approx(1.0 / 1.3, abs=0.03)


def test_one_load_of_each_work_is_held_against_the_interval_of_one_load(mixes):
    runs, rng = mix_runs(table(singles(), seed=6)), np.random.default_rng(2)
    for _ in range(20):
        drawn = rng.permutation(len(runs))
        _, first = np.unique(runs.work[drawn], return_index=True)
        one_each = runs.take(np.isin(np.arange(len(runs)), drawn[first]))
        assert not drift_together([held_works(mixes, one_each)]).alarm


def test_operations_beyond_what_was_measured_are_counted_and_not_judged(mixes):
    beyond = [({"add": times}, 8000.0) for times in (2000, 3000)]
    found = drift(mixes, [*singles(), *beyond])
    assert (found.groups, found.groups_left_out) == (len(singles()), len(beyond))
    with pytest.raises(BadInputError, match="none lies inside"):
        drift(mixes, beyond)


def test_a_model_of_accesses_has_no_word_on_operations():
    model = lr.fit(
        lab_table(queues=(1,), accesses=(0, 400, 1600), sizes=(64,)), "capacity", progress=False
    )
    with pytest.raises(BadInputError, match="no costs of these"):
        model.drift(table(singles()))


def typed(*words):
    with pytest.raises(SystemExit) as stop:
        main([*map(str, words)])
    return stop.value.code


def test_fit_and_drift_take_operations_as_typed(reference, tmp_path, capsys):
    """Chains, whose campaign's folder has the machine."""
    model, card, box = (tmp_path / name for name in ("model.json", "card.md", "box.toml"))
    runs = reference("castanho")
    assert typed("fit", runs, "--out", model, "--card", card, "--box", box) == 0
    page = card.read_text()
    assert "# Model card: mixes" in page
    assert "| chain | direct_hop_tc | 8 |" in page
    assert "| other numbers of one kind | 4 of 8 |" in page
    costs = read_box(box).costs
    tc = costs["operations.chain.base.tc"]
    assert 0.0 < tc.lower_ns < tc.value_ns < tc.upper_ns
    capsys.readouterr()
    assert typed("drift", model, runs, "--check", "--json") == 0
    assert json.loads(capsys.readouterr().out)["groups"] == 8
