"""Which shipped box answers for a machine that was not calibrated."""

from dataclasses import replace

import pytest

from linerate.box import Box, Cost, read_box
from linerate.errors import BadInputError
from linerate.measure.objects.calibrating.shipped_box import FOLDER, nearest_box, shipped_box
from linerate.programs.costs import YARDSTICK, operation_costs

COSTS = {YARDSTICK: Cost(value_ns=1.0, lower_ns=1.0, upper_ns=1.0)}
MACHINE = Box(
    name="here", cpu_model="Intel(R) Xeon(R) Gold", cores=4, threads_per_core=1, memory_gib=8.0,
    kernel="6.18.44-a", mitigations={}, governor="none", hypervisor="kvm", nic="veth", costs=COSTS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ({"hypervisor": "none", "kernel": "5.4.0", "cores": 64}, {"cpu_model": "Intel(R) Atom"}),
        ({"cpu_model": "Intel(R) Atom", "hypervisor": "none"}, {"cpu_model": "AMD EPYC"}),
        ({"cpu_model": "AMD A", "kernel": "5.4.0"}, {"cpu_model": "AMD B", "hypervisor": "none"}),
        ({"kernel": "6.18.2-b", "cores": 64}, {"kernel": "6.1.0"}),
        ({"cores": 4}, {"cores": 5}),
        ({"name": "a"}, {"name": "b"}),
    ],
)
def test_the_nearest_box_is_the_one_that_is_alike_in_what_matters_most(near, far):
    near, far = (replace(MACHINE, **{"name": "x", **changes}) for changes in (near, far))
    assert nearest_box(MACHINE, [far, near]).box == nearest_box(MACHINE, [near, far]).box == near


def test_it_says_what_is_alike_and_what_is_not():
    found = nearest_box(MACHINE, [replace(MACHINE, name="x", kernel="5.4.0")])
    assert str(found) == ("box x, like this machine: CPU model, vendor, virtual or not, cores; "
                          "not: kernel release")  # fmt: skip


def test_a_box_that_was_not_calibrated_is_none(tmp_path):
    with pytest.raises(BadInputError, match="no calibrated box is shipped"):
        nearest_box(MACHINE, [replace(MACHINE, costs={})])
    with pytest.raises(BadInputError, match="no calibrated box is shipped"):
        shipped_box(tmp_path)


def test_a_calibrated_box_is_shipped_and_it_has_costs_of_operations():
    found = shipped_box()
    assert found.box in [read_box(path) for path in FOLDER.glob("*.toml")]
    assert operation_costs(found.box.costs)["instruction"].value_ns < 1.0
