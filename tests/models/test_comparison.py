"""Which of several datapaths is fastest, and how sure that is."""

import numpy as np
import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models.comparison import stand


def runs(**more):
    """Two datapaths in five repetitions: the second takes twice the time, both drift alike."""
    rows = []
    for repetition, drift in enumerate((1.0, 1.1, 0.9, 1.2, 0.95)):
        for datapath, hook, ns in (("xdp_native", None, 100.0), ("nftables", "ingress", 200.0)):
            rows.append({
                "repetition": repetition, "datapath": datapath, "filter_hook": hook,
                "mode": "serial", "verdict": "valid", "forwarded_mpps": 1e3 / (ns * drift),
            })  # fmt: skip
    return pd.DataFrame(rows).assign(**more)


def test_the_fastest_is_first_and_drift_that_both_had_is_in_no_ratio():
    first, second = stand(runs())
    assert (first.datapath, second.datapath) == ("xdp_native", "nftables, ingress")
    times_ns = [first.lower_ns, first.packet_ns, first.upper_ns]
    assert times_ns == pytest.approx([90.0, 100.0, 120.0])
    ends = [second.lower_slower, second.slower, second.upper_slower]
    assert ends == pytest.approx([2.0, 2.0, 2.0])
    assert first.mpps == pytest.approx(1e3 / first.packet_ns)


@pytest.mark.deep
def test_the_interval_holds_the_median_as_often_as_it_says():
    rng, held = np.random.default_rng(4), 0
    for _ in range(400):
        noisy = runs()
        noisy["forwarded_mpps"] = 10.0 * np.exp(rng.normal(0.0, 0.1, len(noisy)))
        one = next(each for each in stand(noisy) if each.datapath == "xdp_native")
        held += one.lower_ns < 100.0 < one.upper_ns
    assert 0.90 < held / 400 < 0.97  # 1 - 2 / 2 ** 5


def test_latency_is_that_of_the_slow_cells():
    slow = runs(mode="split", latency_p50_us=5.0, latency_p99_us=9.0, cpu_busy_ratio=0.2)
    found = {each.datapath: each for each in stand(pd.concat([runs(), slow]))}
    one = found["xdp_native"]
    assert (one.p50_us, one.p99_us, one.busy_ratio, one.loads) == (5.0, 9.0, 0.2, 5)


def test_four_loads_have_no_interval_and_none_no_answer():
    assert np.isnan(stand(runs().head(8))[0].lower_ns)
    with pytest.raises(BadInputError, match="verdict_reason"):
        stand(runs(verdict="invalid"))


def test_what_makes_its_packets_itself_stands_last_and_is_no_yardstick():
    quick = pd.DataFrame([
        {"repetition": repetition, "datapath": "swx", "filter_hook": None, "mode": "serial",
         "verdict": "valid", "forwarded_mpps": 20.0}
        for repetition in range(5)
    ])  # fmt: skip
    first, second, last = stand(pd.concat([quick, runs()]))
    assert (first.datapath, last.datapath) == ("xdp_native", "swx")
    assert (first.ranked, second.ranked, last.ranked) == (True, True, False)
    assert first.slower == pytest.approx(1.0)
    assert last.packet_ns == pytest.approx(50.0)
    (alone,) = stand(quick)
    assert alone.ranked
