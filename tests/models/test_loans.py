"""Constants of one box as what is expected of another."""

import json
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from linerate import fit
from linerate.cli import main
from linerate.errors import BadInputError
from linerate.models import Capacity, Pair, training_of
from linerate.models.capacity.transfer import SPREAD, prior_of
from linerate.models.file.saved import load_model, save_model
from linerate.models.fitting import fit_models
from linerate.models.intervals.predictor import fit_predictor
from linerate.models.loans import donors_among, loan_of, predictor_of, predictor_of_box

from .planted import lab_table, planted_box

NATIVE = Pair("xdp_native", "map_lookup")
SLOWER = 1.7
"""Times that the other box takes for everything."""
FEW = (0, 400, 3200)


def below_line(**how):
    """Runs that no ceiling limits."""
    runs = lab_table(sizes=(64,), **how)
    return runs[runs["forwarded_mpps"] < 0.9 * runs["offered_mpps"]]


@pytest.fixture(scope="module")
def fast():
    return below_line(noise=0.02)


@pytest.fixture(scope="module")
def slow(fast):
    return fast.assign(box="slow", forwarded_mpps=fast["forwarded_mpps"] / SLOWER)


@pytest.fixture(scope="module")
def loan(fast):
    donor = fit_predictor(Capacity, training_of(fast), np.random.default_rng(0))
    return loan_of({"lab": donor})


def first_of(runs, accesses, queues=(1,)):
    chosen = runs["memory_accesses"].isin(accesses) & runs["queues"].isin(queues)
    return runs[chosen & (runs["repetition"] == 1)]


def off(model, runs):
    """Mean absolute error on the medians of runs."""
    medians = training_of(runs).medians()
    predicted = model.limits(medians.cells).predicted_mpps
    return float(np.abs(predicted / medians.forwarded_mpps - 1.0).mean())


def test_few_runs_and_another_box_tell_what_no_few_runs_tell(loan, slow):
    few = training_of(first_of(slow, FEW))
    alone, lent = Capacity.fit(few), loan.fit(few)
    assert off(predictor_of(loan).model, slow) > 0.5
    assert off(lent, slow) < 0.05 < off(alone, slow)  # growth with queues was never seen


def test_one_run_of_each_path_is_a_beginning(loan, slow):
    one = training_of(first_of(slow, (400,)))
    with pytest.raises(BadInputError, match="too few"):
        Capacity.fit(training_of(first_of(slow, (400, 800))))
    assert off(loan.fit(one), slow) < 0.5 * off(predictor_of(loan).model, slow)


def test_a_prior_gives_way_to_runs(loan, slow):
    """Of a box whose access is ten times as dear, all runs say so."""
    per_packet_ns = slow["queues"] * 1e3 / slow["forwarded_mpps"] + 20.0 * slow["memory_accesses"]
    dear = slow.assign(forwarded_mpps=slow["queues"] * 1e3 / per_packet_ns)
    training = training_of(dear)
    with_prior, without = loan.fit(training), Capacity.fit(training)
    for one, other in zip(with_prior.paths, without.paths, strict=True):
        assert one.access_ns == pytest.approx(other.access_ns, rel=0.01)
        assert one.base_ns == pytest.approx(other.base_ns, rel=0.05)


def test_what_is_borrowed_shrinks_with_runs_and_is_said(loan, slow):
    shares = []
    for accesses in ((), (400,), FEW, tuple(slow["memory_accesses"].unique())):
        runs = first_of(slow, accesses)
        model = loan.fit(training_of(runs)) if accesses else Capacity.of_prior(loan.prior)
        (native,) = [one for one in model.borrowed if one.pair == NATIVE]
        shares.append(native.shares["base_ns"])
        assert any("borrowed from lab: base_ns" in note for note in model.notes)
    assert shares[0] == pytest.approx(1.0)
    assert all(first > second for first, second in pairwise(shares))
    assert shares[-1] < 0.01


def test_a_constant_that_no_run_shows_stays_borrowed(loan, slow):
    """One cell again and again cannot tell base from access: its design is singular."""
    runs = slow[(slow["memory_accesses"] == 3200) & (slow["queues"] == 1)]
    model = loan.fit(training_of(runs[runs["datapath"] == "xdp_native"]))
    (native,) = model.borrowed
    assert native.shares["base_ns"] > 0.9 > 0.1 > native.shares["access_ns"]
    assert off(model, runs[runs["datapath"] == "xdp_native"]) < 0.05


def test_intervals_of_few_runs_hold_and_narrow(loan, slow):
    halves, cells = [], training_of(slow)
    none = predictor_of(loan)
    few = [fit_predictor(loan, training_of(first_of(slow, accesses)), np.random.default_rng(0))
           for accesses in ((400,), FEW)]  # fmt: skip
    for predictor in (none, *few):
        predicted = predictor.predict_cells(cells.cells)
        halves.append(float(np.log(predicted.upper_mpps / predicted.lower_mpps).mean()))
        inside = (predicted.lower_mpps <= cells.forwarded_mpps) & (
            cells.forwarded_mpps <= predicted.upper_mpps)  # fmt: skip
        assert inside.mean() > 0.9
    assert halves[0] > halves[1] > halves[2]


def test_runs_enough_have_scores_and_a_domain_of_their_own(loan, slow):
    predictor = fit_predictor(loan, training_of(slow), np.random.default_rng(0))
    assert not predictor.conformal.lent
    few = fit_predictor(loan, training_of(first_of(slow, FEW)), np.random.default_rng(0))
    assert few.conformal.lent
    assert few.domain.pairs[0].queues.high == 2.0  # as in the other box's runs


def test_the_spread_between_boxes_is_learnt_from_them(loan):
    (path,) = [one for one in loan.prior.paths if one.pair == NATIVE]

    def spread(*ratios):
        return prior_of({
            str(number): [path.with_values({"base_ns": ratio * path.base_ns})]
            for number, ratio in enumerate(ratios)
        }).spread  # fmt: skip

    assert spread(1.0) == SPREAD
    assert 0.0 < spread(1.0, 1.0) < SPREAD < spread(1.0, 20.0)
    (mean,) = prior_of(
        {"a": [path], "b": [path.with_values({"base_ns": 4.0 * path.base_ns})]}
    ).paths
    assert mean.base_ns == pytest.approx(2.0 * path.base_ns)


def test_runs_without_any_spread_are_no_certainty(loan, slow):
    exact = below_line(noise=0.0)
    model = loan.fit(training_of(first_of(exact, FEW)))
    for path in model.paths:
        low, high = path.intervals["access_ns"]
        assert low < path.access_ns < high
        assert math.log(high / low) > 0.01


def test_runs_of_one_load_count_as_one(loan, slow):
    """Frames of one load share a random effect."""
    alike = pd.concat([first_of(slow, (400,)).assign(frame_bytes=size) for size in (64, 128, 256)])
    one, three = (loan.fit(training_of(runs)).borrowed[0].shares["access_ns"]
                  for runs in (first_of(slow, (400,)), alike))  # fmt: skip
    assert three == pytest.approx(one, rel=0.2)


def test_a_prior_of_another_program_or_datapath_is_refused(loan, slow):
    for column, name in (("program", "other"), ("datapath", "tc")):
        with pytest.raises(BadInputError, match="tells nothing of another"):
            loan.fit(training_of(slow.assign(**{column: name})))


def test_a_box_file_lends_its_costs(slow):
    box = planted_box({"xdp_native.map_lookup.base_ns": 93.0, "yardstick": 1.0,
                       "xdp_native.map_lookup.access_ns": 1.5})  # fmt: skip
    few = first_of(slow, (400,))
    fitted = fit(few[few["datapath"] == "xdp_native"], prior=box, progress=False)
    assert fitted.file.predictor.conformal.lent
    with pytest.raises(BadInputError, match="no cost of a datapath and program"):
        predictor_of_box(planted_box({"yardstick": 1.0}))


def test_boxes_in_one_table_lend_to_each_other(fast, slow):
    both = pd.concat([fast, first_of(slow, FEW)])
    with pytest.raises(BadInputError, match="fit --on BOX"):
        fit(both, "capacity", progress=False)
    fitted = fit(both, on="slow", progress=False)
    assert fitted.file.provenance.boxes == ("slow",)
    assert any("borrowed from lab" in note for note in fitted.notes)
    with pytest.raises(BadInputError, match="on=third: no run is of this box; allowed: lab, slow"):
        fit(both, on="third", progress=False)
    with pytest.raises(BadInputError, match="a prior is of the constants of another"):
        fit(both, "log_ols", on="slow", progress=False)


def test_a_box_seen_once_lends_nothing_and_that_is_said(fast, slow):
    once = pd.concat([fast, first_of(slow, (400,)).head(1)])
    _, donors, notes = donors_among(once, "lab")
    assert donors == {}
    assert "box slow lends nothing" in notes[0]
    own, donors, _ = donors_among(once, "slow")
    assert (len(own), list(donors)) == (1, ["lab"])
    assert fit_models(own, model=loan_of(donors)).file.provenance.runs == 1


def test_runs_of_no_box_among_those_of_boxes_are_refused(fast, slow):
    for unnamed in (slow.assign(box=""), slow.drop(columns="box")):
        with pytest.raises(BadInputError, match="box"):
            donors_among(pd.concat([fast, unnamed]), "lab")


def test_what_was_borrowed_is_kept_in_the_file(loan, slow, tmp_path):
    file = fit_models(first_of(slow, FEW), model=loan).file
    save_model(file, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again == file
    cells = slow[["datapath", "program", "memory_accesses", "queues", "frame_bytes", "link_gbps"]]
    assert (again.predict(cells).upper_mpps == file.predict(cells).upper_mpps).all()


@pytest.fixture(scope="module")
def folder(fast, slow, tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    fast.to_csv(folder / "fast.csv", index=False)
    first_of(slow, FEW).to_csv(folder / "few.csv", index=False)
    pd.concat([fast, slow]).to_csv(folder / "both.csv", index=False)
    assert run("fit", folder / "fast.csv", "--out", folder / "fast.json",
               "--kind", "capacity") == 0  # fmt: skip
    return folder


def run(*argv):
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in argv])
    return ended.value.code


def test_fit_takes_a_prior_as_typed(folder, tmp_path, capsys):
    asked = ("fit", folder / "few.csv", "--out", tmp_path / "m.json", "--kind", "capacity")
    assert run(*asked, "--prior", folder / "fast.json", "--json") == 0
    answer = capsys.readouterr()
    assert "borrowed from lab: base_ns" in answer.err
    assert len(json.loads(answer.out)["formula"]) == 2
    assert run(*asked, "--prior", folder / "few.csv") == 2
    assert run("fit", folder / "both.csv", "--out", tmp_path / "m.json", "--on", "slow",
               "--kind", "capacity") == 0  # fmt: skip


def test_plan_takes_a_prior_as_typed(folder, capsys):
    asked = ("plan", folder / "few.csv", "--budget", "2", "--json")
    assert run(*asked, "--prior", folder / "fast.json") == 0
    assert len(json.loads(capsys.readouterr().out)["cells"]) == 2


def test_each_box_is_predicted_by_the_others_as_typed(folder, capsys):
    assert run("validate", folder / "both.csv", "--by", "box", "--json") == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert [one["model"] for one in models] == ["capacity for lab", "capacity for slow"]
    assert models[1]["error"]["median_percent"] == pytest.approx(100 * (SLOWER - 1), rel=0.1)
    assert run("validate", folder / "fast.csv", "--by", "box") == 2
    assert "name the runs of another box" in capsys.readouterr().err
