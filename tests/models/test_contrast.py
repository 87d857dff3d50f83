"""Two campaigns of the same cells: what differs is found, and what does not is not claimed."""

import itertools

import numpy as np
import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models.contrast import RATE, contrast, ratios_left_out


def campaign(seed, factor=1.0, *, accesses=8, loads=4, sizes=(64,), **more):
    """Cells of one path: each program load measures every frame size."""
    rng = np.random.default_rng(seed)
    rows = []
    for count, load in itertools.product(range(accesses), range(loads)):
        effect = rng.normal(0.0, 0.02)
        rows += [
            {
                "run_id": f"c{count}-r{load}", "datapath": "xdp_native", "program": "map_lookup",
                "memory_accesses": count, "queues": 1, "frame_bytes": float(size),
                "link_gbps": 10.0, "offered_mpps": 14.88, "verdict": "valid", "box": f"box-{seed}",
                "forwarded_mpps": factor * 5.0 / (1 + count) * np.exp(effect),
            }
            for size in sizes
        ]  # fmt: skip
    return pd.DataFrame(rows).assign(**more)


def summary(first, second, quantity=RATE):
    return next(one for one in contrast(first, second).summaries if one.quantity == quantity)


def test_a_slower_campaign_is_found_on_another_box():
    found = summary(campaign(1), campaign(2, 0.9))
    assert found.differs
    assert found.lower <= found.ratio <= found.upper < 1.0
    assert found.ratio == pytest.approx(0.9, rel=0.02)
    assert found.telling > 4 * found.by_chance


def test_the_same_machine_twice_tells_nothing():
    found = summary(campaign(1), campaign(3))
    assert not found.differs
    assert found.ratio == pytest.approx(1.0, rel=0.02)


def test_cells_without_a_difference_tell_as_often_as_chance():
    """Ratios leave out 1 in at most a tenth of the cells, whatever the loads' distribution."""
    found = summary(campaign(4, accesses=500), campaign(5, accesses=500))
    share = found.telling / found.judged
    assert 0.04 < share < 0.12  # by 70 orders of 4 and 4 loads: 0.057


@pytest.mark.parametrize("loads", [3, 4, 6, 30])
def test_interval_of_a_ratio_holds_the_truth(loads):
    rng, held = np.random.default_rng(6), 0
    left_out = ratios_left_out(loads, loads) or 0
    for _ in range(600):
        first, second = rng.exponential(size=loads), 2.0 * rng.exponential(size=loads)
        each = np.sort((second[:, None] / first[None, :]).ravel())
        held += each[left_out] <= 2.0 <= each[-1 - left_out]
    assert 0.87 < held / 600 < 0.97


def test_cells_of_one_program_load_count_as_one():
    sizes = (64, 65, 66)
    found = summary(campaign(1, sizes=sizes), campaign(2, sizes=sizes))
    assert (found.cells, found.groups) == (24, 8)


def test_cells_at_line_rate_are_in_no_median():
    """At 1500 B both carry the 0.822 Mpps of the link but for the heaviest cells."""
    first, second = (
        campaign(seed, factor, sizes=(64, 1500)) for seed, factor in ((1, 1), (2, 0.5))
    )
    for runs in (first, second):
        runs["offered_mpps"] = np.where(runs["frame_bytes"] == 64, 14.88, 0.82237)
        runs["forwarded_mpps"] = np.minimum(runs["forwarded_mpps"], runs["offered_mpps"])
    found = contrast(first, second)
    (one,) = found.summaries
    assert one.at_ceiling == int(found.ratios["at_ceiling"].sum()) > 0
    assert one.ratio == pytest.approx(0.5, rel=0.03)


def test_cells_of_one_campaign_alone_are_listed():
    found = contrast(campaign(1, accesses=4), campaign(2, accesses=6))
    assert sorted(found.alone["memory_accesses"]) == [4, 5]
    assert set(found.alone["side"]) == {"second"}
    assert set(found.alone["runs"]) == {4}


def test_a_setting_that_one_campaign_does_not_record_parts_no_cells():
    found = contrast(campaign(1), campaign(2, settings="zero_copy", zero_copy=True))
    assert len(found.ratios) == 8
    assert any(note.startswith("zero_copy is known of one campaign") for note in found.notes)


def test_latency_is_compared_where_both_have_it():
    first = campaign(1, latency_p50_us=10.0)
    second = campaign(2, latency_p50_us=12.0)
    assert summary(first, second, "latency_p50_us").ratio == pytest.approx(1.2)
    assert [one.quantity for one in contrast(first, campaign(2)).summaries] == [RATE]


def test_campaigns_without_a_common_cell_are_refused():
    with pytest.raises(BadInputError, match="nothing was measured in both"):
        contrast(campaign(1), campaign(2, queues=2))


def test_too_few_loads_make_no_interval():
    found = contrast(campaign(1, loads=2), campaign(2, loads=3))
    assert found.ratios["lower_ratio"].isna().all()
    assert found.summaries[0].judged == 0
