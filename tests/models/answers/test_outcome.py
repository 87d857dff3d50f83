"""What was measured after a prediction, laid beside it."""

import pandas as pd
import pytest

from linerate.models.answers.outcome import outcomes

CELL = {"datapath": "xdp_native", "memory_accesses": 100, "frame_bytes": 64.0, "queues": 1}
PREDICTED = pd.DataFrame([
    CELL | {"link_gbps": 10.0, "predicted_mpps": 5.2, "sustains_line_rate": 0.0,
            "bottleneck": "service", "lower_mpps": 4.0, "upper_mpps": 6.0,
            "lower_median_mpps": 4.5, "upper_median_mpps": 5.5}
])  # fmt: skip


def runs(rates, **columns):
    return pd.DataFrame([CELL | {"forwarded_mpps": rate} for rate in rates]).assign(**columns)


def test_a_rate_is_compared_as_with_the_cores_to_itself():
    measured = runs([3.0, 4.0, 4.2], unshared_mpps=[5.0, 5.1, 4.9], shared_core_ratio=0.6)
    (found,) = outcomes(PREDICTED, measured, list(CELL))
    assert (found.measured_mpps, found.counted_mpps, found.inside) == (5.0, 4.0, True)
    assert "5.000 Mpps (median of 3 program loads with the cores to themselves; 4.000 beside " in (
        str(found)
    )


@pytest.mark.parametrize("columns", [{}, {"unshared_mpps": [4.0, 4.2, 5.0]}])
def test_without_others_it_is_what_came_back(columns):
    (found,) = outcomes(PREDICTED, runs([4.0, 4.2, 5.0], **columns), list(CELL))
    assert (found.measured_mpps, found.counted_mpps, found.inside) == (4.2, 4.2, False)
    assert "(median of 3 program loads), outside" in str(found)
