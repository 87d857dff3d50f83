"""Intervals outside of what was fitted: as wide as the ends of a table needed."""

import numpy as np
import pytest

from linerate.models import Capacity, Pair, cells_of, training_of
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.file.failures import known_failures
from linerate.models.intervals.domain import domain_of
from linerate.models.intervals.extrapolation import UNKNOWN, WIDENING, Widening, wider_ratio
from linerate.models.intervals.intervals import Conformal, Reach, calibrate
from linerate.models.intervals.predictor import fit_predictor
from linerate.models.intervals.scores import Bucket
from linerate.models.intervals.unidentified import Slack

from ..planted import cells_table, lab_table

NATIVE = Pair("xdp_native", "map_lookup")


def widening_of(runs, pair=NATIVE):
    training = training_of(runs)
    conformal = calibrate(Capacity.fit(training), training, np.random.default_rng(0))
    return {known.pair: known for known in conformal.widenings}[pair]


def test_a_law_that_goes_on_widens_little():
    learnt = widening_of(lab_table(noise=0.03))
    assert learnt.memory_accesses < 0.5 * WIDENING
    assert learnt.frame_bytes < 0.5 * WIDENING


def test_a_law_that_breaks_at_its_last_value_widens_more():
    """As where a working set outgrows a cache."""
    runs = lab_table(noise=0.03)
    broken = runs["memory_accesses"] == runs["memory_accesses"].max()
    slow = runs["forwarded_mpps"].where(~broken, runs["forwarded_mpps"] / 3.0)
    assert widening_of(runs.assign(forwarded_mpps=slow)).memory_accesses > WIDENING


def test_two_values_of_a_factor_tell_nothing_of_a_third():
    assert widening_of(lab_table(queues=(1, 2))).queues == WIDENING


def test_more_queues_are_never_trusted_beyond_the_rule():
    assert widening_of(lab_table(queues=(1, 2, 4, 8))).queues >= WIDENING


def test_the_card_names_what_may_not_be_extrapolated():
    missed = Widening(pair=NATIVE, queues=7.0, frame_bytes=0.25)
    predicted = known_failures("capacity", (), None, (missed, UNKNOWN))
    assert [text for text in predicted if text.startswith("xdp_native/map_lookup, queues")]
    assert not [text for text in predicted if "frame_bytes" in text]


def test_doublings_of_each_factor_add_up():
    domain = domain_of(training_of(lab_table(queues=(1, 2))))
    cells = cells_of(cells_table(queues=[2, 4, 8, 8], frame_bytes=[64, 64, 64, 3000]))
    learnt = Widening(pair=NATIVE, queues=3.0, frame_bytes=0.5)
    assert wider_ratio((learnt, UNKNOWN), domain, cells) == pytest.approx([1.0, 4.0, 7.0, 7.5])
    assert wider_ratio((UNKNOWN,), domain, cells) == pytest.approx([1.0, 3.0, 5.0, 7.0])


def test_each_stage_has_the_width_of_its_own_errors():
    pair = Pair("af_xdp", "copy")
    cost = PathCost(pair=pair, base_ns=1000.0, user_ns=500.0, access_ns=4.0,
                    form=PathForm(stages=2, single_socket=True))  # fmt: skip
    reach = Reach(
        buckets=(
            Bucket(pair=pair, bottleneck="user_stage", scores=(-0.2, 0.2) * 20, worth=40.0),
            Bucket(pair=pair, scores=(-0.05, 0.05) * 20, worth=40.0),
        ),
        ceiling_half_width=0.01,
    )
    conformal = Conformal(load=reach, median=reach)
    cells = cells_of(cells_table(datapath="af_xdp", program="copy", memory_accesses=[0, 400]))
    domain = domain_of(training_of(lab_table().assign(datapath="af_xdp", program="copy")))
    none = Slack(below=np.zeros(2), above=np.zeros(2))
    predicted = conformal.predictions(path_limits((cost,), cells), cells, domain, none)
    assert predicted.bottleneck.tolist() == ["kernel_stage", "user_stage"]
    assert np.log(predicted.upper_mpps / predicted.predicted_mpps) == pytest.approx([0.05, 0.2])


def test_an_unseen_frame_size_costs_no_threefold_interval_on_real_hardware(real_runs):
    training = training_of(real_runs[real_runs["program"].isin(["map_lookup", "af_xdp_memcpy"])])
    small = training.cells.frame_bytes == 64
    predictor = fit_predictor(Capacity, training.take(~small), np.random.default_rng(0))
    held = training.take(small).medians()
    predicted = predictor.predict_cells(held.cells)
    inside = (predicted.lower_median_mpps <= held.forwarded_mpps) & (
        held.forwarded_mpps <= predicted.upper_median_mpps
    )
    assert not predicted.in_domain.any()
    assert inside.mean() >= 0.85
    assert (
        np.mean(
            (predicted.upper_median_mpps - predicted.lower_median_mpps) / predicted.predicted_mpps
        )
        <= 2 * 0.15
    )
