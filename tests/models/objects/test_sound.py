"""A box file may be anybody's: costs that cannot be are refused in words before they are used."""

from dataclasses import replace

import pytest

from linerate.box import Cost
from linerate.errors import BadInputError
from linerate.models.objects import answer_object
from linerate.models.objects.base import base_costs
from linerate.models.objects.sharing import meeting_share
from linerate.programs.costs import sharing_name

from .planted import asked, cost, times

LATENCIES = {f"latency_{which}.xdp_native.50": cost(9e3) for which in ("p50", "mean", "p99")}
WAY = LATENCIES | {"split.xdp_native": cost(80.0), "serial.xdp_native": cost(70.0)}
NAN, TX = float("nan"), "xdp_native.tx.64.1"


def with_costs(box, **costs):
    return replace(box, costs=box.costs | costs)


@pytest.mark.parametrize(
    ("costs", "why"),
    [({"xdp_native.tx.small.1": cost(9.0)}, "no frame size and number of queues"),
     ({"xdp_native.tx.64.0": cost(9.0)}, "no frame size"),
     ({"xdp_native.tx.64." + "9" * 5000: cost(9.0)}, "no frame size"),
     ({TX: cost(0.0, 0.0)}, "0.0 ns is too little"), ({TX: cost(-5.0)}, "too little"),
     ({TX: cost(NAN)}, "not a time"), ({TX: cost(1e308)}, "not a time"),
     ({TX: Cost(value_ns=9.0, lower_ns=8.0, upper_ns=float("inf"))}, "not a time"),
     ({"yardstick": cost(0.0)}, "too little"), ({"operation.clock": cost(NAN)}, "not a time"),
     ({"xdp_native.tx.256.1": cost(9.0)}, r"no cost xdp_native\.drop\.256\.1"),
     ({"mixed.xdp_native.drop_tx": cost(-500.0)}, "leave a packet no time"),
     ({**WAY, "latency_p50.xdp_native.high": cost(9e3)}, "no latency and load in percent"),
     ({**WAY, "latency_p50.xdp_native.100": cost(9e3)}, "no latency and load"),
     ({**WAY, "latency_p50.xdp_native.70": cost(9e3)}, "latency_mean.xdp_native.70, which belongs"),
     ({**WAY, "latency_p50.xdp_native.50": cost(0.0)}, "too little"), (LATENCIES, "split.xdp_nat")],
)  # fmt: skip
def test_costs_that_cannot_be_are_refused_by_name(box, costs, why):
    with pytest.raises(BadInputError, match=why) as caught:
        answer_object(times(tx=0.5, drop=0.5), with_costs(box, **costs), asked())
    assert len(str(caught.value)) < 1000


def test_what_a_calibration_writes_is_answered_with(box):
    assert answer_object(times(), with_costs(box, **WAY), asked()).loads[0].model.endswith("up")


def test_a_verdict_that_was_not_calibrated_is_refused_by_the_cost_that_is_missing(box):
    known = {name: each for name, each in box.costs.items() if ".tx." not in name}
    with pytest.raises(BadInputError, match=r"verdict=tx: the box has no cost xdp_native\.tx\.64"):
        answer_object(times(), replace(box, costs=known), asked())


def test_an_operation_that_takes_nothing_leaves_no_endless_room(box):
    answer = answer_object(times(), with_costs(box, **{"operation.nop": cost(1e-320)}), asked())
    assert answer.room == ()


def test_a_program_that_was_timed_on_one_core_alone_never_meets_another(box):
    """A name of one core, as no calibration writes it, divided by nothing."""
    own = with_costs(box, **{sharing_name("xdp_native", 1): cost(9.0)})
    assert meeting_share(base_costs(own, "xdp_native"), 1) == 0.0
