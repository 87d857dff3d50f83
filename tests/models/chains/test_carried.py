"""Times of chains are carried to another machine by one factor, and what it leaves is said."""

import numpy as np
import pytest

from linerate.errors import BadInputError
from linerate.models.chains.carried import CarriedTime, TimedChain
from linerate.models.chains.times import ChainTime
from linerate.models.latency.round_trips import kind_of

HERE = {
    "function_ns_per_byte": 0.1, "fixed_ns_per_byte": 0.2, "log_sd": 0.1, "shortest": 1,
    "longest": 8, "bytes_min": 64.0, "bytes_max": 1500.0, "runs": 30,
}  # fmt: skip
SITES = [(length, size) for length in (1, 4) for size in (64, 1500)]


def time_of(topology, fixed_ns, function_ns):
    kind = kind_of({"chain_function": "tc", "chain_topology": topology})
    return ChainTime(kind=kind, fixed_ns=fixed_ns, function_ns=function_ns, **HERE)


DIRECT, HUB = time_of("direct", 3000.0, 1000.0), time_of("hub", 5000.0, 4000.0)


def timed(factors):
    return [
        TimedChain(functions=length, frame_bytes=size,
                   value_ns=factor * float(DIRECT.packet_ns(length, size)))
        for (length, size), factor in zip(SITES, factors, strict=True)
    ]  # fmt: skip


@pytest.mark.parametrize("lent", [DIRECT, HUB])
def test_a_planted_factor_is_that_of_every_kind_of_the_function(lent):
    found = CarriedTime.of(lent, DIRECT, timed([0.7] * 4))
    assert found.factor == pytest.approx(0.7)
    assert found.time.packet_ns(3, 512) == pytest.approx(0.7 * lent.packet_ns(3, 512))
    assert found.time.log_sd == pytest.approx(lent.log_sd)


def test_what_one_factor_leaves_widens_the_interval():
    found = CarriedTime.of(HUB, DIRECT, timed([1.8, 2.0, 2.0, 2.2]))
    assert found.factor == pytest.approx(2.0)
    left = np.sqrt((np.log(1.1) ** 2 + np.log(0.9) ** 2) / 3)
    assert found.time.log_sd == pytest.approx(np.hypot(0.1, left))


@pytest.mark.parametrize("number", [0, 1])
def test_one_chain_does_not_say_how_far_off_a_factor_is(number):
    with pytest.raises(BadInputError, match="2 or more"):
        CarriedTime.of(HUB, DIRECT, timed([1.0] * 4)[:number])


def test_a_model_that_leaves_a_timed_chain_no_time_is_refused():
    with pytest.raises(BadInputError, match="no time"):
        CarriedTime.of(HUB, time_of("direct", -5000.0, 100.0), timed([1.0] * 4))
