"""What every member of MODELS must do."""

import numpy as np
import pytest

from linerate.models import MODELS, Capacity, fit_predictor, load_model, save_model, training_of
from linerate.models.file.modelfile import model_file
from linerate.models.file.provenance import provenance_of

from .line_rates import check_line_rate
from .planted import ACCESS_NS, BASE_NS, cells_table, lab_table

pytestmark = [pytest.mark.long, pytest.mark.sampled]


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: model.name)
def fitted(request, lab_runs):
    training = training_of(lab_runs)
    return fit_predictor(request.param, training, np.random.default_rng(0))


def test_predicts_what_it_was_fitted_on(fitted, lab_runs):
    predicted = fitted.predict(lab_runs)
    error = np.abs(predicted.predicted_mpps / lab_runs["forwarded_mpps"] - 1.0)
    assert np.median(error) < 0.12


def test_more_accesses_never_give_more_throughput(fitted):
    accesses = np.arange(0, 12801, 50)
    predicted = fitted.predict(cells_table(memory_accesses=accesses)).predicted_mpps
    assert (np.diff(predicted) <= 1e-9).all()


def test_never_exceeds_line_rate_or_what_is_offered(fitted, lab_runs):
    predicted = fitted.predict(lab_runs.assign(offered_mpps=0.1))
    assert (predicted.predicted_mpps <= 0.1).all()
    predicted = fitted.predict(lab_runs)
    assert (predicted.predicted_mpps <= lab_runs["offered_mpps"] + 1e-12).all()


def test_nothing_exceeds_the_link_the_interval_neither(fitted):
    accesses, queues, frame_bytes = np.meshgrid([0, 1, 100, 10**6], [1, 2, 64], [64, 512, 1500])
    cells = cells_table(memory_accesses=accesses.ravel(), queues=queues.ravel(),
                        frame_bytes=frame_bytes.ravel())  # fmt: skip
    check_line_rate(fitted.predict(cells), cells)


def test_intervals_hold_the_prediction(fitted, lab_runs):
    predicted = fitted.predict(lab_runs)
    assert (predicted.lower_mpps <= predicted.predicted_mpps).all()
    assert (predicted.predicted_mpps <= predicted.upper_mpps).all()
    assert ((predicted.sustains_line_rate >= 0.0) & (predicted.sustains_line_rate <= 1.0)).all()


def test_extrapolation_is_flagged_and_wider(fitted):
    predicted = fitted.predict(cells_table(memory_accesses=[12800, 51200], queues=1))
    assert predicted.in_domain.tolist() == [True, False]
    width = np.log(predicted.upper_mpps / predicted.lower_mpps)
    assert width[1] > 1.25 * width[0]


def test_interpolation_is_inside_the_domain(fitted):
    assert fitted.predict(cells_table(memory_accesses=[5000], frame_bytes=333)).in_domain.all()


def test_model_file_comes_back_exactly(fitted, lab_runs, tmp_path):
    provenance = provenance_of(lab_runs, fitted_on=len(lab_runs), notes=())
    whole = model_file(fitted, provenance)
    save_model(whole, tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again == whole
    for name, column in fitted.predict(lab_runs).columns().items():
        assert (column == again.predictor.predict(lab_runs).columns()[name]).all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_fits_repeat_exactly(model):
    training = training_of(lab_table(queues=(1,), accesses=(0, 100, 400, 800), sizes=(64, 512)))
    first, again = (fit_predictor(model, training, np.random.default_rng(0)) for _ in range(2))
    assert first == again


def test_prints_as_a_formula(fitted):
    assert "xdp_native/map_lookup" in str(fitted.model)
    assert "=" in str(fitted.model)


def test_capacity_recovers_planted_parameters():
    model = Capacity.fit(training_of(lab_table(noise=0.005)))
    for path in model.paths:
        assert path.base_ns == pytest.approx(BASE_NS[path.pair.datapath], rel=0.02)
        assert path.access_ns == pytest.approx(ACCESS_NS, rel=0.02)
        low, high = path.intervals["access_ns"]
        assert low < path.access_ns < high
    generic = next(path for path in model.paths if path.pair.datapath == "xdp_generic")
    assert generic.form.law == "power"
    assert generic.coefficients[0] == pytest.approx(1.0, abs=0.03)
    assert model.shared_access


def test_queues_do_not_speed_up_a_base_path_that_does_not_scale(lab_runs):
    predictor = fit_predictor(Capacity, training_of(lab_runs), np.random.default_rng(0))
    predicted = predictor.predict(
        cells_table(datapath="xdp_generic", memory_accesses=0, queues=[1, 2])
    ).predicted_mpps
    assert predicted[1] == pytest.approx(predicted[0], rel=0.03)


def test_a_link_without_end_comes_back_from_a_model_file(lab_runs, tmp_path):
    endless = lab_runs.assign(link_gbps=np.inf, offered_mpps=np.nan)
    predictor = fit_predictor(Capacity, training_of(endless), np.random.default_rng(0))
    whole = model_file(predictor, provenance_of(endless, fitted_on=1, notes=()))
    save_model(whole, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == whole
    assert predictor.predict(endless).in_domain.all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize(
    "few",
    [
        {"accesses": (0, 100, 400), "sizes": (64, 512), "queues": (1,)},
        {"accesses": (0, 100, 400, 1600), "sizes": (64,), "queues": (1, 2)},
        {"accesses": (0, 400), "sizes": (64, 128, 512), "queues": (1,)},
    ],
)
def test_a_quick_campaign_is_enough(model, few):
    training = training_of(lab_table(reloads=2, **few))
    predictor = fit_predictor(model, training, np.random.default_rng(0))
    predicted = predictor.predict(cells_table(memory_accesses=[50, 300]))
    assert (predicted.lower_mpps < predicted.upper_mpps).all()
    assert predicted.in_domain.all()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_one_queue_count_is_said_and_all_that_more_may_give_is_in_the_interval(model):
    training = training_of(lab_table(queues=(1,), accesses=(0, 100, 400, 1600), sizes=(64, 512)))
    predictor = fit_predictor(model, training, np.random.default_rng(0))
    native = [note for note in predictor.notes if note.startswith("xdp_native/map_lookup: one qu")]
    assert len(native) == 1
    assert "scaling is not identifiable" in native[0]
    predicted = predictor.predict(cells_table(memory_accesses=[800] * 3, queues=[1, 2, 4]))
    alone_mpps = 1e3 / (BASE_NS["xdp_native"] + 800 * ACCESS_NS)
    assert predicted.in_domain.tolist() == [True, False, False]
    for row, queues in enumerate((1, 2, 4)):
        assert predicted.lower_mpps[row] < 1.03 * alone_mpps
        assert predicted.upper_mpps[row] > 0.97 * queues * alone_mpps


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_one_access_count_is_said_and_free_or_dear_accesses_are_in_the_interval(model):
    training = training_of(lab_table(queues=(1, 2, 3, 4), accesses=(400,), sizes=(64, 512)))
    predictor = fit_predictor(model, training, np.random.default_rng(0))
    assert any("the cost of an access is not identifiable" in note for note in predictor.notes)
    predicted = predictor.predict(cells_table(memory_accesses=[0, 400, 1600]))
    for row, accesses in enumerate((0, 400, 1600)):
        truth_mpps = 1e3 / (BASE_NS["xdp_native"] + accesses * ACCESS_NS)
        assert predicted.lower_mpps[row] < 1.03 * truth_mpps
        assert predicted.upper_mpps[row] > 0.97 * truth_mpps
    width = np.log(predicted.upper_mpps / predicted.lower_mpps)
    assert min(width[0], width[2]) > width[1] + np.log(4.0)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_what_a_ceiling_hides_has_no_upper_end_below_the_next_ceiling(model):
    runs = lab_table(queues=(2, 4), accesses=(0, 1), sizes=(1024, 1500))
    predictor = fit_predictor(model, training_of(runs), np.random.default_rng(0))
    assert any("the service time is only bounded" in note for note in predictor.notes)
    predicted = predictor.predict(cells_table(memory_accesses=[0, 400], queues=2, frame_bytes=64))
    assert (predicted.upper_mpps > 14.8).all()
    assert predicted.lower_mpps[1] < 2e3 / (BASE_NS["xdp_native"] + 400 * ACCESS_NS)
    assert (predicted.sustains_line_rate < 0.5).all()
