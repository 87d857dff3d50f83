"""Times of packets through chains: planted ones are found, a length left out is told."""

import numpy as np
import pandas as pd
import pytest

from linerate.models.chains.times import fit_chain_times, held_out_ns, loaded_chains

LENGTHS, SIZES = (1, 2, 4, 6), (64, 1500)
CELL = {"datapath": "chain", "chain_function": "tc", "chain_topology": "direct",
        "offered_mpps": np.inf, "link_gbps": np.inf, "queues": 1, "program": "wire",
        "verdict": "valid", "latency_mean_us": 0.0, "lab": "veth"}  # fmt: skip


def planted_ns(length, size):
    return 2000.0 + 1500.0 * length + (size - 64) * (0.1 + 0.2 * length)


def table(sizes=SIZES, lengths=LENGTHS, spread=0.0):
    rng = np.random.default_rng(4)
    return pd.DataFrame([
        CELL | {"chain_length": length, "frame_bytes": float(size), "repetition": repetition,
                "forwarded_mpps": 1e3 / planted_ns(length, size)
                * float(np.exp(spread * rng.standard_normal()))}
        for length in lengths for size in sizes for repetition in range(5)
    ])  # fmt: skip


def fitted(runs):
    found = fit_chain_times(runs)
    assert found is not None
    return found.times[0]


def test_a_planted_sum_is_found_between_lengths_and_sizes():
    time = fitted(table())
    assert time.packet_ns(3, 512) == pytest.approx(planted_ns(3, 512), rel=1e-6)
    assert (time.shortest, time.longest, time.bytes_max) == (1, 6, 1500)
    assert time.knows([1, 9, 4], [64, 64, 1518]).tolist() == [True, False, False]


def test_the_spread_is_that_of_runs():
    assert fitted(table(spread=0.1)).log_sd == pytest.approx(0.1, rel=0.35)
    assert fitted(table()).log_sd < 1e-6


def test_a_length_held_out_is_not_seen():
    runs = table(sizes=(64,))
    runs.loc[runs["chain_length"] == 6, "forwarded_mpps"] /= 3.0
    ((kind, chain),) = loaded_chains(runs)
    held = held_out_ns(kind, chain)[chain["chain_length"].to_numpy() == 6]
    assert held == pytest.approx(planted_ns(6, 64), rel=1e-6)


def test_what_was_delivered_whole_or_pinged_is_no_load():
    runs = table()
    assert fit_chain_times(runs.assign(offered_mpps=runs["forwarded_mpps"])) is None
    assert fit_chain_times(runs.assign(rtt_mean_us=90.0)) is None
    assert fit_chain_times(table(lengths=(1, 2))) is None


def test_bytes_are_in_the_formula_where_sizes_were_measured():
    both, one = str(fitted(table())), str(fitted(table(sizes=(64,))))
    assert both.endswith("packet = 2000 ns + 1500 ns * functions "
                         "+ (0.1 ns + 0.2 ns * functions) * (bytes - 64)")  # fmt: skip
    assert one.endswith("packet = 2000 ns + 1500 ns * functions (64 B)")
